"""Models that are too large for the limits they are given: one for each phase of a run.

    inputs.py FOLDER        writes them all
"""

import random
import sys
from pathlib import Path

PTNET = "http://www.pnml.org/version-2009/grammar/ptnet"
SYMMETRIC = "http://www.pnml.org/version-2009/grammar/symmetricnet"


def _pnml(kind, body):
    return (f'<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="{kind}">'
            f"{body}</net></pnml>\n")


def _net(places, transitions):
    lines = ['<page id="g">']
    for name, tokens in places:
        marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
        lines.append(f'<place id="{name}">{marking}</place>')
    arcs = 0
    for name, consumed, produced in transitions:
        lines.append(f'<transition id="{name}"/>')
        for source, target in [(p, name) for p in consumed] + [(name, p) for p in produced]:
            lines.append(f'<arc id="a{arcs}" source="{source}" target="{target}"/>')
            arcs += 1
    lines.append("</page>")
    return _pnml(PTNET, "\n".join(lines))


def long_net(places=60_000):
    """Much to read and to reduce, little to explore."""
    return _net([(f"p{i}", int(i == 0)) for i in range(places)],
                [(f"t{i}", [f"p{i}"], [f"p{(i * 7 + 1) % places}"]) for i in range(places)])


def dense_net(places=60, transitions=200):
    """Sub-invariants, orders and diagrams are all hard."""
    rng = random.Random(1)
    names = [f"p{i}" for i in range(places)]
    return _net([(p, rng.randint(0, 3)) for p in names],
                [(f"t{i}", rng.sample(names, 3), rng.sample(names, 3)) for i in range(transitions)])


def coloured_net(colours=1500):
    """Unfolds to colours squared transitions."""
    constants = "".join(f'<feconstant id="c{i}" name="c{i}"/>' for i in range(colours))
    variables = "".join(f'<variabledecl id="{v}" name="{v}"><usersort declaration="c"/></variabledecl>'
                        for v in "xy")
    sort = '<type><structure><usersort declaration="c"/></structure></type>'

    def inscription(variable):
        return ("<hlinscription><structure><numberof><subterm><numberconstant value=\"1\"><positive/>"
                f"</numberconstant></subterm><subterm><variable refvariable=\"{variable}\"/></subterm>"
                "</numberof></structure></hlinscription>")

    return _pnml(SYMMETRIC, f"""<declaration><structure><declarations>
<namedsort id="c" name="c"><cyclicenumeration>{constants}</cyclicenumeration></namedsort>{variables}
</declarations></structure></declaration><page id="g">
<place id="p">{sort}<hlinitialMarking><structure><all><usersort declaration="c"/></all></structure>
</hlinitialMarking></place><place id="q">{sort}</place><transition id="t"/>
<arc id="a" source="p" target="t">{inscription("x")}</arc>
<arc id="b" source="t" target="q">{inscription("y")}</arc></page>""")


def pump():
    """A place that fills for ever."""
    return _net([("y", 0)], [("t", [], ["y"])])


def large_lts(transitions=400_000):
    states = transitions // 2
    rows = "".join(f'({i // 2}, "a{i % 3}", {(i * 7919 + 1) % states})\n' for i in range(transitions))
    return f"des (0, {transitions}, {states})\n{rows}"


def scattered():
    """More states than fit anywhere, without structure that diagrams or sweeps could use."""
    size = 6
    steps = ",\n".join(f"s -> s {{ effect x[{i}] = (x[{i}] * 5 + x[{(i + 1) % size}] * 7 + {i + 1}) % 251; }}"
                       for i in range(size))
    return f"int x[{size}];\nprocess P {{ state s; init s; trans\n{steps};\n}}\nsystem async;\n"


def deep():
    """One run of 250^3 steps."""
    return """byte a; byte b; byte c;
process P { state s; init s; trans
  s -> s { guard a < 250; effect a = a + 1; },
  s -> s { guard a == 250 && b < 250; effect a = 0, b = b + 1; },
  s -> s { guard a == 250 && b == 250 && c < 250; effect a = 0, b = 0, c = c + 1; };
}
system async;
"""


def bits(count=24):
    """A model with many atoms for formulas."""
    variables = " ".join(f"byte v{i};" for i in range(count))
    steps = ",\n".join(f"s -> s {{ effect v{i} = 1 - v{i}; }}" for i in range(count))
    return f"{variables}\nprocess P {{ state s; init s; trans\n{steps};\n}}\nsystem async;\n"


def many_actions(processes=900):
    """Every sender meets every receiver."""
    text = "channel c;\n"
    for i in range(processes):
        text += f"process S{i} {{ state a; init a; trans a -> a {{ sync c!; }}; }}\n"
        text += f"process R{i} {{ state a; init a; trans a -> a {{ sync c?; }}; }}\n"
    return text + "system async;\n"


def main():
    folder = Path(sys.argv[1])
    contents = {"long.pnml": long_net, "dense.pnml": dense_net, "coloured.pnml": coloured_net,
                "pump.pnml": pump, "large.aut": large_lts, "scattered.dve": scattered, "deep.dve": deep,
                "bits.dve": bits, "actions.dve": many_actions, "exam/model.pnml": dense_net}
    for name, make in contents.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(make())


if __name__ == "__main__":
    main()
