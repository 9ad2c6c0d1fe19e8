#include <fmt/format.h>

#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "certificate/format/format.hpp"

namespace tideline::certificate {

namespace {

class Digest {
 public:
  explicit Digest(const System& system) : system_(system) {}

  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    text_ += text;
  }
  void add(std::uint64_t number) { text_ += std::to_string(number) + ' '; }
  void add(const Expr& expr) { add(to_string(expr, system_)); }
  void add(const std::optional<Expr>& expr) {
    if (expr) add(*expr);
  }

  std::string hash() const {
    const XXH128_hash_t hash = XXH3_128bits(text_.data(), text_.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  const System& system_;
  std::string text_ = {};
};

}  // namespace

std::string digest_of(const System& system) {
  Digest digest(system);
  for (const Slot& slot : system.slots) {
    digest.add(slot.name);
    digest.add(static_cast<std::uint64_t>(slot.range.low));
    digest.add(static_cast<std::uint64_t>(slot.range.high));
  }
  for (const std::int32_t value : system.initial) digest.add(static_cast<std::uint64_t>(value));
  for (const auto& table : system.tables)
    for (const std::int64_t value : table) digest.add(static_cast<std::uint64_t>(value));
  for (const Action& action : system.actions) {
    digest.add(action.label);
    for (const Participant& participant : action.participants) {
      digest.add(std::uint64_t{participant.from});
      digest.add(participant.guard);
    }
    digest.add(action.guard);
    for (const Assignment& effect : action.effects) {
      digest.add(std::uint64_t{effect.slot});
      digest.add(effect.index);
      digest.add(effect.value);
    }
  }
  digest.add(system.may_end);
  return digest.hash();
}

}  // namespace tideline::certificate
