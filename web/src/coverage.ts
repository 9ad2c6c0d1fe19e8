// What was taken how often, by process, and what never: the facts behind the tab Coverage.

import type { Exploration, Model } from "./data";

export interface TakenAction {
  action: number;
  taken: number;
  proven: boolean; // a zero that means never, not "not yet"
}

export interface ProcessCoverage {
  component: number; // -1: actions without a process, as in a net
  actions: TakenAction[]; // never taken first, then the rarest
  never: number;
}

/** Whether a count that is zero means that the action can never be taken. */
export function never_is_proven(exploration: Exploration, action: number): boolean {
  return exploration.never_enabled_is_proven || (exploration.never_enabled ?? []).includes(action);
}

/** Actions by process. An action of several processes is in the list of each. */
export function coverage_of(model: Model, exploration: Exploration): ProcessCoverage[] {
  const lists = new Map<number, TakenAction[]>();
  const known = new Set(exploration.never_enabled ?? []);
  model.actions.forEach((entry, action) => {
    const taken = exploration.actions[action] ?? 0;
    const components = entry.participants.length > 0 ? [...new Set(entry.participants.map((p) => p.component))] : [-1];
    for (const component of components) {
      const list = lists.get(component) ?? [];
      list.push({ action, taken, proven: exploration.never_enabled_is_proven || known.has(action) });
      lists.set(component, list);
    }
  });
  return [...lists]
    .sort(([a], [b]) => a - b)
    .map(([component, actions]) => ({
      component,
      actions: actions.sort((a, b) => a.taken - b.taken || a.action - b.action),
      never: actions.filter((entry) => entry.taken === 0).length,
    }));
}

/** Places of a net that no state seen has marked. */
export function never_marked(model: Model, exploration: Exploration): number[] {
  return model.slots.flatMap((slot, i) => {
    const seen = exploration.slots[i];
    return slot.kind === "place" && seen && seen.distinct === 1 && seen.top[0]?.[0] === 0 ? [i] : [];
  });
}
