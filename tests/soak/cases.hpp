// Random cases: models as text, questions about them, and ways to ask the program, all in the words of its command
// line, so that a case can be repeated without this program.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "checking/engines.hpp"
#include "oracle.hpp"

namespace tideline::soak {

/// Chance that a seed repeats.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  std::uint64_t number() { return random_(); }
  /// From 0 to below n.
  unsigned below(std::uint64_t n) { return static_cast<unsigned>(random_() % n); }
  unsigned between(unsigned low, unsigned high) { return low + below(high - low + 1); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[below(list.size())];
  }
  std::string word(std::initializer_list<const char*> words) { return words.begin()[below(words.size())]; }

 private:
  std::mt19937_64 random_;
};

struct RandomModel {
  std::string kind;  ///< of which generator
  std::string file;  ///< a name whose ending says the language
  std::string text = {};
  ErrorSemantics errors = ErrorSemantics::stop;
  std::vector<std::string> atoms = {};  ///< expressions about its states
  std::vector<std::string> terms = {};  ///< of measures

  std::vector<std::string> words() const;
};
RandomModel random_model(Chance& chance);

/// As the table of a run has them.
inline constexpr PropertyKind question_kinds[] = {PropertyKind::deadlock, PropertyKind::invariant,
                                                  PropertyKind::reach, PropertyKind::ltl, PropertyKind::ctl};

Question random_question(PropertyKind kind, const RandomModel& model, Chance& chance);
std::vector<std::string> words_of(const Question& question);

/// What happens to a run.
enum class Event {
  none,
  interrupt,   ///< after a moment
  time,        ///< a limit of time
  memory,      ///< a limit of memory, which is reached already
  allocation,  ///< one allocation fails
  disk,        ///< the disk is full, or cannot be read, from some call on
  resume,      ///< interrupted again and again, and resumed from its checkpoints
  stranger,    ///< interrupted once, and resumed from a checkpoint that somebody else has changed
};
std::string_view to_string(Event event);

/// One way to answer a question.
struct Trial {
  const Engine* engine = nullptr;
  std::vector<std::string> words = {};
  unsigned ranks = 1;  ///< threads that exchange messages, which are delayed at random
  Event event = Event::none;
  bool certified = false;  ///< what holds is proven by a certificate
  std::uint64_t at = 0;    ///< which allocation fails, or which call for a file is the first to; 0: any one
  std::uint64_t seed = 0;  ///< of what is left to chance while it runs

  std::string text() const;
};
Trial random_trial(const Engine& engine, const Question& question, const RandomModel& model, Chance& chance);
/// To count all states.
Trial random_count(const Engine& engine, const RandomModel& model, Chance& chance);

/// The model without one of its transitions; empty: it has not so many. Only for models in DVE.
std::string without_transition(const std::string& text, std::size_t which);

}  // namespace tideline::soak
