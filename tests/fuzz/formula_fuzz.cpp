// libFuzzer target: any bytes are either a formula about a model or refused with an Error that points into them.
//
// The first byte chooses what the rest is read as. What is read as a formula of LTL or CTL reads back as it is written.
#include <cstdlib>

#include "accepted_or_refused.hpp"
#include "bind/bind.hpp"
#include "bind/selection.hpp"
#include "fuzz_model.hpp"
#include "logic/ctl.hpp"
#include "logic/ltl.hpp"

namespace {

using namespace tideline;

template <class Pool, class Parse>
void reads_back(const Parse& parse, const std::string& text) {
  Pool pool;
  const std::string once = to_string(pool, parse(pool, {"formula", text}));
  if (to_string(pool, parse(pool, {"again", once})) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text = fuzz::text_of(data + 1, size - 1);
  const System& system = fuzz::small_model().system;
  // Canonical spelling may be nested deeper than what was written, by a few.
  constexpr std::size_t short_formula = 500;
  fuzz::accepted_or_refused([&] {
    switch (data[0] % 4) {
      case 0:
        if (text.size() < short_formula) reads_back<LtlPool>(parse_ltl, text);
        (void)formula_atoms(bind_texts(system, {{.kind = PropertyKind::ltl, .text = text}}).front());
        break;
      case 1:
        if (text.size() < short_formula) reads_back<CtlPool>(parse_ctl, text);
        (void)bind(system, bind_texts(system, {{.kind = PropertyKind::ctl, .text = text}}).front());
        break;
      case 2:
        (void)formula_atoms(
            bind_texts(system, {{.kind = PropertyKind::ltl, .text = text, .is_pattern = true}}).front());
        break;
      default:
        (void)to_string(bind_texts(system, {{.kind = PropertyKind::invariant, .text = text}}).front().expr,
                        system);
    }
  });
  return 0;
}
