// Certificate: the proof that a check writes beside its answer (docs/certificates.md).
//
// A search that can prove what it says collects the states that it meets (StateCollection); when it is over, what it has
// shown and these states become a section of the file. A certificate that fails, because the disk is full or a limit is
// reached, does not change an answer: failure() says why there is none.
//
//     Certificate certificate(request);
//     auto states = certificate.collect(state_bytes);
//     ... a search that adds its states to *states ...
//     certificate.add(system, section, *states, budget);
//     certificate.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certificate/writer/certificate_file.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "run/property.hpp"
#include "store/state_collection.hpp"

namespace tideline {

struct CertificateRequest {
  std::filesystem::path file;
  std::string version;                       ///< of the program
  std::filesystem::path folder = {};         ///< for what does not fit into memory
  std::optional<std::uint64_t> memory = {};  ///< the limit of the process
  unsigned threads = 1;
};

/// What was written.
struct CertificateFigures {
  std::uint64_t states = 0;  ///< of all sections
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< after the searches
};

class Certificate {
 public:
  explicit Certificate(CertificateRequest request) : request_(std::move(request)) {}

  /// For the states of a search.
  std::unique_ptr<StateCollection> collect(std::size_t state_bytes, std::size_t extra_bytes = 0) const;

  struct Section {
    std::string_view kind;             ///< see certificate/format/format.hpp
    std::vector<Property> properties;  ///< what it proves
    bool buchi = false;                ///< of runs: by the automaton with one acceptance set, on states
  };
  void add(const System& system, const Section& section, StateCollection& states, Budget& budget);

  /// Something that was to be proven is not: there will be none.
  void fail(std::string why) { failure_ = std::move(why); }

  /// Once all searches are over.
  void finish();

  bool written() const { return written_; }
  const CertificateFigures& figures() const { return figures_; }
  const CertificateRequest& request() const { return request_; }
  /// Why there is none; empty: it is there, or finish() was not called yet.
  const std::string& failure() const { return failure_; }

 private:
  CertificateRequest request_;
  std::unique_ptr<certificate::CertificateFile> file_;
  CertificateFigures figures_;
  std::string failure_;
  bool written_ = false;
};

/// The properties of states that a complete search of all states proves: those that hold, and states that cannot be
/// reached. None where a model error was met.
std::vector<Property> proven_by_states(const Outcome& outcome);

}  // namespace tideline
