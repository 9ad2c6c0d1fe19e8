// Figures that the charts show, computed from what the program recorded.

import type { Exploration, TimePoint } from "./data";
import type { ModelView } from "./model_view";

/** States a second, each over a window of a fortieth of the time, so that single points do not jump. */
export function rates(timeline: TimePoint[]): (number | null)[] {
  const last = timeline[timeline.length - 1];
  const window = ((last?.t ?? 0) - (timeline[0]?.t ?? 0)) / 40;
  let from = 0;
  return timeline.map((point, i) => {
    while (from + 1 < i && point.t - (timeline[from + 1]?.t ?? 0) >= window) from++;
    const before = timeline[from];
    if (i === 0 || !before || point.t <= before.t) return null;
    return Math.max(0, (point.states - before.states) / (point.t - before.t));
  });
}

export interface Share {
  name: string;
  kind: "process" | "variable";
  component: number;
  distinct: number;
  entropy: number;
  top: string; // the most frequent values
}

function percent(part: number): string {
  return part >= 0.995 && part < 1 ? "99 %" : part < 0.01 ? "<1 %" : `${Math.round(part * 100)} %`;
}

/** Processes and variables by how much of the states they make: the most bits first; what never varies is left out. */
export function shares(
  view: ModelView,
  exploration: Exploration,
): { processes: Share[]; variables: Share[]; constant: number } {
  const by_bits = (a: Share, b: Share) => b.entropy - a.entropy || b.distinct - a.distinct;
  const processes = exploration.components
    .map((c, i): Share => ({
      name: view.component_name(i),
      kind: "process",
      component: i,
      distinct: c.distinct,
      entropy: c.entropy,
      top: "",
    }))
    .filter((share) => share.distinct > 0)
    .sort(by_bits);
  const counted = exploration.slots
    .map((slot, i): Share => ({
      name: view.model.slots[i]?.name ?? `value ${i}`,
      kind: "variable",
      component: view.model.slots[i]?.component ?? -1,
      distinct: slot.distinct,
      entropy: slot.entropy,
      top: slot.top
        .slice(0, 4)
        .map(([value, n]) => `${view.slot_value(i, value)} (${percent(n / Math.max(1, exploration.states))})`)
        .join(", "),
    }))
    .filter((share) => share.distinct > 0);
  return {
    processes,
    variables: counted.filter((share) => share.distinct > 1).sort(by_bits),
    constant: counted.filter((share) => share.distinct === 1).length,
  };
}
