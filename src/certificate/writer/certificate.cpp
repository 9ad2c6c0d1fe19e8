#include "certificate/writer/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "model/error.hpp"

namespace tideline {

namespace {

constexpr std::size_t least_lane_bytes = std::size_t{1} << 20, most_lane_bytes = std::size_t{128} << 20;
/// States between two looks at the limits.
constexpr std::uint64_t look_every = 4096;

/// Objects are written here, not by the library: when these go, they allocate, which must not fail.
std::string as_json(std::string_view text) {
  return nlohmann::json(text).dump();
}

std::string json_of(const Certificate::Section& section, const StateCollection& states) {
  std::string properties;
  for (const Property& property : section.properties)
    properties +=
        fmt::format("{}{{\"name\":{},\"kind\":{},\"formula\":{}}}", properties.empty() ? "" : ",",
                    as_json(property.name), as_json(to_string(property.kind)), as_json(property.formula));
  return fmt::format("{{\"kind\":{},\"properties\":[{}],\"buchi\":{},\"state_bytes\":{},\"extra_bytes\":{}}}",
                     as_json(section.kind), properties, section.buchi, states.state_bytes(),
                     states.extra_bytes());
}

}  // namespace

std::unique_ptr<StateCollection> Certificate::collect(std::size_t state_bytes,
                                                      std::size_t extra_bytes) const {
  const std::size_t share =
      static_cast<std::size_t>(request_.memory.value_or(std::uint64_t{1} << 40) / 16 / request_.threads);
  return std::make_unique<StateCollection>(
      StateCollection::Options{.state_bytes = state_bytes,
                               .extra_bytes = extra_bytes,
                               .folder = request_.folder,
                               .lane_bytes = std::clamp(share, least_lane_bytes, most_lane_bytes)});
}

void Certificate::add(const System& system, const Section& section, StateCollection& states, Budget& budget) {
  if (!failure_.empty() || section.properties.empty()) return;
  failure_ = states.failure();
  if (!failure_.empty()) return;
  const double start = budget.seconds();
  try {
    if (!file_)
      file_ = std::make_unique<certificate::CertificateFile>(
          request_.file, fmt::format("{{\"digest\":{},\"model\":{},\"version\":{}}}",
                                     as_json(certificate::digest_of(system)), as_json(system.name),
                                     as_json(request_.version)));
    file_->begin_section(json_of(section, states), states.state_bytes(), states.extra_bytes());
    std::uint64_t count = 0;
    states.for_each(
        [&](const std::byte* state, const std::byte* extra) {
          if (count++ % look_every == 0) budget.require();
          file_->add(state, extra);
        },
        [&] { budget.require(); });
    file_->end_section();
    figures_.states += count;
  } catch (const LimitReached& limit) {
    failure_ = limit.what();
  } catch (const std::bad_alloc&) {
    failure_ = "out of memory";
  } catch (const Error& error) {
    failure_ = error.what();
  }
  if (!failure_.empty()) file_.reset();
  figures_.seconds += budget.seconds() - start;
}

void Certificate::finish() {
  if (!failure_.empty()) return;
  if (!file_) {
    failure_ = "no property was proven";
    return;
  }
  try {
    file_->commit();
    figures_.bytes = file_->bytes();
    written_ = true;
  } catch (const std::bad_alloc&) {
    failure_ = "out of memory";
  } catch (const Error& error) {
    failure_ = error.what();
  }
  file_.reset();
}

std::vector<Property> proven_by_states(const Outcome& outcome) {
  std::vector<Property> proven;
  if (!outcome.complete) return proven;
  for (const PropertyResult& result : outcome.results) {
    const bool violated = result.verdict == Verdict::violated;
    if (result.property.kind == PropertyKind::model_error && violated) return {};
    const bool unreachable = result.property.kind == PropertyKind::reach && violated && result.reason.empty();
    if (unreachable || (result.property.kind != PropertyKind::reach && result.verdict == Verdict::holds))
      proven.push_back(result.property);
  }
  return proven;
}

}  // namespace tideline
