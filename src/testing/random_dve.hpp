// For tests: small DVE models with everything that makes actions depend on each other, made at random.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace tideline::testing {

/// Processes that share variables, an array, a buffered and a rendezvous channel. Some count without a guard,
/// some index without one, some wait in committed states; some write a queue of their own.
class RandomDve {
 public:
  enum class Kind {
    busy,   ///< processes get in each other's way, and fail
    loose,  ///< they seldom meet: much can be left out, and much can be put off by mistake
  };

  explicit RandomDve(std::uint64_t seed, Kind kind = Kind::busy)
      : random_(seed), is_loose_(kind == Kind::loose) {
    text_ = "byte a = 0, b = 2, n = 0;\nbyte arr[2];\nbyte buf[2];\nchannel {byte} c[2];\nchannel r;\n";
    const int processes = 2 + below(is_loose_ ? 3 : 2);
    for (int p = 0; p < processes; ++p) add_process(p);
    text_ += "system async;\n";
  }
  std::string take() { return std::move(text_); }

  /// A formula about the states of such a model.
  std::string formula() {
    switch (below(4)) {
      case 0:
        return fmt::format("P0.s{}", below(3));
      case 1:
        return fmt::format("P0.s{} && P1.s{}", below(3), below(3));
      case 2:
        return fmt::format("{} || {}", comparison(0), comparison(1));
      default:
        return fmt::format("{} imply {}", comparison(0), comparison(1));
    }
  }

  /// A formula about infinite runs over the atoms p and q, with at most `size` operators.
  std::string temporal(int size, bool with_next = false) {
    if (size <= 0) return chance(5) ? "p" : "q";
    static constexpr const char* unary[] = {"!", "F ", "G ", "G F ", "F G ", "X "};
    static constexpr const char* binary[] = {"&&", "||", "->", "U", "R", "W", "M"};
    if (chance(5)) {
      const char* const op = unary[below(with_next ? 6 : 5)];
      return fmt::format("{}({})", op, temporal(size - 1, with_next));
    }
    const int left = below(size);
    const std::string first = temporal(left, with_next);
    const char* const op = binary[below(7)];
    return fmt::format("({}) {} ({})", first, op, temporal(size - 1 - left, with_next));
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance(int in_ten) { return below(10) < in_ten; }

  std::string variable() { return std::string(1, "abn"[below(3)]); }

  std::string comparison(int process) {
    static constexpr const char* operators[] = {"==", "!=", "<", ">=", "<=", ">"};
    switch (below(6)) {
      case 0:
        return fmt::format("arr[{}] {} {}", below(2), operators[below(6)], below(3));
      case 1:
        return fmt::format("P{}->x {} {}", process, operators[below(6)], below(3));
      default:
        return fmt::format("{} {} {}", variable(), operators[below(6)], below(4));
    }
  }

  std::string guard(int process) {
    std::string text;
    for (int i = 0; i < 2; ++i) {
      if (chance(4)) continue;
      std::string part = comparison(process);
      part = part.substr(part.rfind(fmt::format("P{}->", process), 0) == 0 ? 4 : 0);
      if (chance(1)) part = "arr[x] == 1";
      if (chance(2)) part = "not (" + part + ")";
      text += (text.empty() ? "" : " && ") + part;
    }
    return text;
  }

  std::string effect() {
    switch (below(9)) {
      case 0:
        return fmt::format("{} = {}", variable(), below(4));
      case 1:
      case 2: {
        const std::string v = variable();
        return fmt::format("{0} = ({0} + 1) % 4", v);
      }
      case 3: {
        const std::string v = variable();
        return fmt::format("{0} = {0} {1} 1", v, chance(5) ? "+" : "-");
      }
      case 4:
        return fmt::format("arr[{}] = {}", below(2), below(2));
      case 5:
        return "arr[x] = a";
      case 6:
        return fmt::format("x = {}", variable());
      default:
        return fmt::format("x = {}", below(2));
    }
  }

  std::string transition(int process, int from) {
    std::string inner;
    std::string sync, effects;
    if (is_loose_ && chance(8)) {
      if (chance(2)) inner = " guard x < 2; effect x = x + 1;";
      return fmt::format("  s{} -> s{} {{{} }}", from, below(3), inner);
    }
    std::string guards = guard(process);
    switch (is_loose_ ? below(4) : below(10)) {
      case 0:
        sync = fmt::format("c!{}", chance(5) ? "x" : "1");
        break;
      case 1:
        sync = "c?x";
        break;
      case 2:
        sync = "r!";
        break;
      case 3:
        sync = "r?";
        break;
      case 4:  // a queue of the author's own
        guards = chance(8) ? "n < 2" : "";
        effects = "buf[n] = 1, n = n + 1";
        break;
      case 5:
        guards = chance(8) ? "n > 0" : "";
        effects = "x = buf[0], buf[0] = buf[1], buf[1] = 0, n = n - 1";
        break;
      default:
        break;
    }
    if (effects.empty() && chance(is_loose_ ? 3 : 7)) effects = effect();
    if (sync.empty() && !effects.empty() && effects.find("buf") == std::string::npos && chance(3))
      effects += ", " + effect();
    if (!guards.empty()) inner += fmt::format(" guard {};", guards);
    if (!sync.empty()) inner += fmt::format(" sync {};", sync);
    if (!effects.empty()) inner += fmt::format(" effect {};", effects);
    return fmt::format("  s{} -> s{} {{{} }}", from, below(3), inner);
  }

  void add_process(int process) {
    text_ += fmt::format("process P{} {{\n  byte x = 0;\n  state s0, s1, s2;\n", process);
    if (chance(1)) text_ += fmt::format("  commit s{};\n", 1 + below(2));
    text_ += "  init s0;\n  trans\n";
    const int transitions = 2 + below(4);
    for (int t = 0; t < transitions; ++t)
      text_ += transition(process, is_loose_ ? t % 3 : below(3)) + (t + 1 == transitions ? ";\n" : ",\n");
    text_ += "}\n";
  }

  std::mt19937_64 random_;
  bool is_loose_;
  std::string text_;
};

}  // namespace tideline::testing
