// libFuzzer target: native code takes the steps of the interpreter, and touches nothing but the state and its successors.
//
// The input decides, a byte for each decision, what the system looks like and which way a walk through it
// takes (testing/random_system.hpp, testing/native_steps.hpp). Where it ends, decisions go on at random, from a seed
// that the length gives.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <string>

#include "testing/native_steps.hpp"
#include "testing/random_system.hpp"

namespace {

/// A source of random bits that are the input's, a byte at a time.
class Decisions {
 public:
  using result_type = std::uint64_t;

  explicit Decisions(std::span<const std::uint8_t> bytes) : bytes_(bytes), random_(bytes.size()) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    if (at_ == bytes_.size()) return random_();
    // In the first bits for what looks at these, in the last ones for others.
    const result_type byte = bytes_[at_++];
    return byte << 56 | 0x55555555555500 | byte;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::mt19937_64 random_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int states = 100;
  Decisions decisions({data, size});
  tideline::System system = tideline::BasicRandomSystem<Decisions&>(decisions).take();
  for (const auto errors : {tideline::ErrorSemantics::stop, tideline::ErrorSemantics::error_state}) {
    const std::string difference = tideline::test::native_difference(system, errors, decisions, states);
    if (difference.empty()) continue;
    std::fprintf(stderr, "native code and the interpreter differ: %s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
