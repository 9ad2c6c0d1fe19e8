// PtxMachine: runs a piece of the PTX that gpu/ptx.hpp writes, one lane of it, so that the code for cards is tested where
// there is none. It knows the instructions that are used there and refuses all others; memory is checked: what is not the
// queue, a table or the facts cannot be reached.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tideline::test {

class PtxMachine {
 public:
  std::map<std::string, std::uint64_t> registers;
  std::map<std::string, std::vector<std::int64_t>> tables;  ///< by name
  std::vector<std::uint8_t> shared;                         ///< its first byte is at address 0
  std::vector<std::uint32_t> facts;                         ///< at address facts_address
  static constexpr std::uint64_t facts_address = 1 << 20;

  void load(const std::string& text) {
    program_.clear();
    labels_.clear();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line == "{" || line == "}" || line.starts_with(".reg")) continue;
      if (line.back() == ':') {
        if (!labels_.emplace(line.substr(0, line.size() - 1), program_.size()).second)
          fail("label twice: " + line);
        continue;
      }
      program_.push_back(parse(line));
    }
  }

  void run() {
    std::size_t steps = 0;
    for (at_ = 0; at_ < program_.size();) {
      if (++steps > 1'000'000) fail("does not end");
      const Instruction& in = program_[at_++];
      if (!in.guard.empty() && (registers.at(in.guard) != 0) == in.negated) continue;
      execute(in);
    }
  }

 private:
  struct Instruction {
    std::string guard, name;
    bool negated = false;
    std::vector<std::string> operands;
  };

  [[noreturn]] static void fail(const std::string& why) { throw std::runtime_error("PTX: " + why); }

  static Instruction parse(const std::string& line) {
    if (line.back() != ';') fail("no end: " + line);
    Instruction in;
    std::istringstream words(line.substr(0, line.size() - 1));
    words >> in.name;
    if (in.name.front() == '@') {
      in.negated = in.name[1] == '!';
      in.guard = in.name.substr(in.negated ? 2 : 1);
      words >> in.name;
    }
    std::string operand;
    for (char c; words.get(c);) {
      if (c == ' ' || c == '{' || c == '}') continue;
      if (c == ',')
        in.operands.push_back(std::exchange(operand, {}));
      else
        operand += c;
    }
    if (!operand.empty()) in.operands.push_back(operand);
    return in;
  }

  std::uint64_t value(const std::string& operand) const {
    if (operand.front() == '%') {
      const auto found = registers.find(operand);
      if (found == registers.end()) fail("not set: " + operand);
      return found->second;
    }
    if (operand.starts_with("0x")) return std::stoull(operand, nullptr, 16);
    if (operand.front() == '-') return static_cast<std::uint64_t>(std::stoll(operand));
    return std::stoull(operand);
  }
  std::uint32_t narrow(const std::string& operand) const {
    return static_cast<std::uint32_t>(value(operand));
  }

  /// [%r1+8], [name+8]
  std::uint64_t address(const std::string& operand) const {
    const std::string inside = operand.substr(1, operand.size() - 2);
    const std::size_t plus = inside.find('+');
    const std::string base = inside.substr(0, plus);
    const std::uint64_t offset = plus == std::string::npos ? 0 : std::stoull(inside.substr(plus + 1));
    return (base == "tideline_shared" ? 0 : value(base)) + offset;
  }
  std::uint8_t* shared_at(const std::string& operand, std::size_t bytes) {
    const std::uint64_t at = address(operand);
    if (at + bytes > shared.size()) fail("outside the shared memory: " + operand);
    return shared.data() + at;
  }
  std::uint32_t& fact_at(const std::string& operand) {
    const std::uint64_t at = (address(operand) - facts_address) / 4;
    if (at >= facts.size()) fail("no such fact: " + operand);
    return facts[at];
  }
  static std::uint32_t get(const std::uint8_t* from) {
    return from[0] | std::uint32_t{from[1]} << 8 | std::uint32_t{from[2]} << 16 |
           std::uint32_t{from[3]} << 24;
  }
  static void put(std::uint8_t* to, std::uint32_t bits) {
    for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(bits >> 8 * i);
  }

  template <class T>
  static bool compare(const std::string& how, T a, T b) {
    return how == "eq"   ? a == b
           : how == "ne" ? a != b
           : how == "lt" ? a < b
           : how == "le" ? a <= b
           : how == "gt" ? a > b
           : how == "ge" ? a >= b
                         : (fail("comparison " + how), false);
  }

  void execute(const Instruction& in) {
    const std::string& name = in.name;
    const auto& o = in.operands;
    const auto set = [&](std::uint64_t result) { registers[o[0]] = result; };
    const auto set32 = [&](std::uint64_t result) { registers[o[0]] = static_cast<std::uint32_t>(result); };
    const auto a = [&] { return value(o[1]); };
    const auto b = [&] { return value(o[2]); };
    if (name == "bra") {
      at_ = labels_.at(o[0]);
    } else if (name.starts_with("setp.")) {
      const std::string how = name.substr(5, 2), type = name.substr(8);
      set(type == "s64"   ? compare(how, static_cast<std::int64_t>(a()), static_cast<std::int64_t>(b()))
          : type == "s32" ? compare(how, static_cast<std::int32_t>(a()), static_cast<std::int32_t>(b()))
          : type == "u32" ? compare(how, narrow(o[1]), narrow(o[2]))
                          : (fail(name), false));
    } else if (name == "mov.u64") {  // the address of a table
      const auto table = tables.find(o[1]);
      if (table == tables.end()) fail("no such table: " + o[1]);
      table_ = &table->second;
      set(0);
    } else if (name == "ld.global.s64") {
      const std::uint64_t at = address(o[1]) / 8;
      if (table_ == nullptr || at >= table_->size()) fail("outside a table");
      set(static_cast<std::uint64_t>((*table_)[at]));
    } else if (name == "mov.b32" || name == "cvt.u32.u64" || name == "cvt.u64.u32") {
      set32(a());
    } else if (name == "mov.b64") {
      set(a());
    } else if (name == "cvt.s64.s32") {
      set(static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a())}));
    } else if (name == "bfe.u32") {
      set32(static_cast<std::uint64_t>(narrow(o[1])) >> b() & ((std::uint64_t{1} << value(o[3])) - 1));
    } else if (name == "bfi.b32") {
      const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << value(o[4])) - 1) << value(o[3]));
      set32((narrow(o[2]) & ~mask) | (narrow(o[1]) << value(o[3]) & mask));
    } else if (name == "mad.lo.u32") {
      set32(a() * b() + value(o[3]));
    } else if (name == "add.s32" || name == "add.u32") {
      set32(a() + b());
    } else if (name == "sub.s32" || name == "sub.u32") {
      set32(a() - b());
    } else if (name == "mul.lo.u32") {
      set32(a() * b());
    } else if (name == "div.u32" || name == "rem.u32") {
      if (narrow(o[2]) == 0) fail("division by 0");
      set32(name == "div.u32" ? narrow(o[1]) / narrow(o[2]) : narrow(o[1]) % narrow(o[2]));
    } else if (name == "add.s64") {
      set(a() + b());
    } else if (name == "sub.s64") {
      set(a() - b());
    } else if (name == "mul.lo.s64") {
      set(a() * b());
    } else if (name == "div.s64") {
      if (b() == 0 || (b() == ~std::uint64_t{0})) fail("division by 0 or -1");
      set(static_cast<std::uint64_t>(static_cast<std::int64_t>(a()) / static_cast<std::int64_t>(b())));
    } else if (name == "neg.s64") {
      set(0 - a());
    } else if (name == "not.b64") {
      set(~a());
    } else if (name == "not.b32") {
      set32(~a());
    } else if (name == "and.b64" || name == "and.b32") {
      name == "and.b64" ? set(a() & b()) : set32(a() & b());
    } else if (name == "or.b64" || name == "or.b32") {
      name == "or.b64" ? set(a() | b()) : set32(a() | b());
    } else if (name == "xor.b64") {
      set(a() ^ b());
    } else if (name == "shl.b64") {
      set(narrow(o[2]) > 63 ? 0 : a() << narrow(o[2]));
    } else if (name == "shl.b32") {
      set32(narrow(o[2]) > 31 ? 0 : narrow(o[1]) << narrow(o[2]));
    } else if (name == "shr.u32") {
      set32(narrow(o[2]) > 31 ? 0 : narrow(o[1]) >> narrow(o[2]));
    } else if (name == "shr.s64") {
      set(static_cast<std::uint64_t>(static_cast<std::int64_t>(a()) >> std::min(narrow(o[2]), 63u)));
    } else if (name == "selp.b64" || name == "selp.b32") {
      set(registers.at(o[3]) != 0 ? a() : b());
    } else if (name == "atom.shared.add.u32") {
      std::uint8_t* const place = shared_at(o[1], 4);
      const std::uint32_t before = get(place);
      put(place, before + narrow(o[2]));
      set(before);
    } else if (name == "st.shared.v2.b32") {
      std::uint8_t* const place = shared_at(o[0], 8);
      put(place, narrow(o[1]));
      put(place + 4, narrow(o[2]));
    } else if (name == "st.shared.u8") {
      *shared_at(o[0], 1) = static_cast<std::uint8_t>(a());
    } else if (name == "ld.relaxed.gpu.global.u32") {
      set(fact_at(o[1]));
    } else if (name == "atom.global.exch.b32") {
      set(std::exchange(fact_at(o[1]), narrow(o[2])));
    } else {
      fail("unknown instruction " + name);
    }
  }

  std::vector<Instruction> program_;
  std::map<std::string, std::size_t> labels_;
  const std::vector<std::int64_t>* table_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace tideline::test
