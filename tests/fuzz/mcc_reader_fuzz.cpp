// libFuzzer target: any bytes are either properties of a small net, or refused with an Error.
//
// Formulas of CTL and LTL become text: what is not long must read as a formula, over atoms that came along.
// The first byte's lowest bit says how to read a formula that could be either.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "accepted_or_refused.hpp"
#include "lang/mcc/mcc.hpp"
#include "lang/pnml/pnml.hpp"
#include "logic/ctl.hpp"
#include "logic/ltl.hpp"

namespace {

using namespace tideline;

/// Coloured places, one with a name that needs quotes; what they are unfolded to can be named as well.
constexpr const char* net_text = R"(<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
<declaration><structure><declarations>
<namedsort id="c" name="C"><cyclicenumeration><feconstant id="c0" name="0"/><feconstant id="c1" name="1"/>
</cyclicenumeration></namedsort><variabledecl id="x" name="x"><usersort declaration="c"/></variabledecl>
</declarations></structure></declaration>
<page id="g">
<place id="p"><type><structure><usersort declaration="c"/></structure></type>
<hlinitialMarking><structure><all><usersort declaration="c"/></all></structure></hlinitialMarking></place>
<place id="a&quot;\ b"><type><structure><usersort declaration="c"/></structure></type></place>
<transition id="t"/>
<arc id="i" source="p" target="t"><hlinscription><structure><variable refvariable="x"/></structure>
</hlinscription></arc>
<arc id="o" source="t" target="a&quot;\ b"><hlinscription><structure><variable refvariable="x"/></structure>
</hlinscription></arc>
</page></net></pnml>)";

/// Longer texts may be nested too deep, or have too many atoms.
constexpr std::size_t short_formula = 2000;

void require_atoms(const Property& property, const std::vector<FormulaAtom>& atoms) {
  for (const FormulaAtom& atom : atoms)
    if (std::ranges::find(property.atoms, atom.name, &Proposition::name) == property.atoms.end())
      std::abort();
}

void look_at(const Property& property, const System& system) {
  (void)to_string(property.expr, system);
  for (const Proposition& atom : property.atoms) (void)to_string(atom.expr, system);
  if (property.formula.size() > short_formula || property.atoms.size() > max_ltl_atoms) return;
  try {
    if (property.kind == PropertyKind::ltl) {
      LtlPool pool;
      (void)parse_ltl(pool, {"formula", property.formula});
      require_atoms(property, pool.atoms());
    } else if (property.kind == PropertyKind::ctl) {
      CtlPool pool;
      (void)parse_ctl(pool, {"formula", property.formula});
      require_atoms(property, pool.atoms());
    }
  } catch (const Error&) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const System system = pnml::to_system(pnml::read_net({"net.pnml", net_text}, {}));
  const mcc::Logic both = size > 0 && (data[0] & 1) != 0 ? mcc::Logic::ltl : mcc::Logic::ctl;
  fuzz::accepted_or_refused([&] {
    const SourceText source{"input.xml", fuzz::text_of(data, size)};
    for (const Property& property : mcc::read_property_set(source, system, both).properties)
      look_at(property, system);
  });
  return 0;
}
