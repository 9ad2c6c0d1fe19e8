#include "certify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bind/bind.hpp"
#include "claims.hpp"
#include "model/layout.hpp"

namespace tideline::certify {

namespace {

class Certification {
 public:
  Certification(const CertificateReader& reader, const Model& model, ErrorSemantics errors, bool spot,
                const ClosureOptions& options)
      : reader_(reader), system_(model.system), errors_(errors), spot_(spot), options_(options) {
    if (const std::string digest = certificate::digest_of(system_); digest != reader.digest())
      throw Refused(fmt::format("it is of another model, {} (or of the same one with other constants)",
                                reader.model()));
  }

  std::vector<Proven> run(const std::vector<Property>& properties) {
    std::vector<Property> of_states;
    for (const Property& property : properties)
      if (is_of_states(property.kind)) of_states.push_back(property);
    if (!of_states.empty()) prove_states(of_states);
    for (const Property& property : properties)
      if (!is_of_states(property.kind)) prove(property);
    return std::move(proven_);
  }

 private:
  void prove_states(const std::vector<Property>& properties) {
    // One that other properties were checked with is as good.
    const auto section = std::ranges::find(reader_.sections(), certificate::states_section, &Section::kind);
    if (section == reader_.sections().end()) missing(properties.front());
    require_form(*section, Layout(system_).size(), 0);
    const ClosureFigures figures = closed(*section, claim_of_states({system_, errors_}, properties));
    for (const Property& property : properties) proven_.push_back({property, figures});
  }

  void prove(const Property& unbound) {
    Property property = bind(system_, unbound, {.buchi = false, .spot = spot_});
    const auto find = [&](bool by_name) {
      return std::ranges::find_if(reader_.sections(), [&](const Section& section) {
        return std::ranges::any_of(section.properties, [&](const NamedProperty& named) {
          return named.kind == to_string(property.kind) && named.formula == property.formula &&
                 (!by_name || named.name == property.name);
        });
      });
    };
    auto section = find(true);  // the same formula may be there twice, about other runs from deadlocks
    if (section == reader_.sections().end() && !property.formula.empty()) section = find(false);
    if (section == reader_.sections().end()) missing(property);
    if (section->buchi) property = bind(system_, unbound, {.buchi = true, .spot = spot_});
    if (!property.parts.empty())
      throw Refused(fmt::format("{}: it may have no value in some states, and no certificate can say that",
                                property.name));
    property.kind == PropertyKind::ctl ? prove_ctl(property, *section) : prove_runs(property, *section);
  }

  void prove_runs(const Property& property, const Section& section) {
    if (section.kind != certificate::runs_section) missing(property);
    require_form(section, Layout(system_).size() + sizeof(std::uint16_t), sizeof(certificate::Rank));
    proven_.push_back({property, closed(section, claim_of_runs({system_, errors_}, property))});
  }

  void prove_ctl(const Property& property, const Section& section) {
    if (section.kind != certificate::ctl_section) missing(property);
    require_form(section, Layout(system_).size(),
                 2 * sizeof(certificate::Rank) * claimed_nodes(*property.ctl).size());
    proven_.push_back({property, closed(section, claim_of_ctl({system_, errors_}, property))});
  }

  ClosureFigures closed(const Section& section, const ClaimMaker& make_claim) const {
    return require_closed(reader_, section, system_, make_claim, options_);
  }

  [[noreturn]] static void missing(const Property& property) {
    throw Refused(fmt::format("it is not about {}", property.name));
  }

  const CertificateReader& reader_;
  const System& system_;
  ErrorSemantics errors_;
  bool spot_;
  ClosureOptions options_;
  std::vector<Proven> proven_;
};

}  // namespace

std::vector<Proven> certify(const CertificateReader& reader, const Model& model,
                            const std::vector<Property>& properties, ErrorSemantics errors, bool spot,
                            const ClosureOptions& options) {
  return Certification(reader, model, errors, spot, options).run(properties);
}

}  // namespace tideline::certify
