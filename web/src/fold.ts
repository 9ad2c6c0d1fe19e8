// A state graph folded by a set of variables: all states with the same values of them are one class.

import type { FoldedGraph, StateGraph } from "./data";
import type { ModelView, Row } from "./model_view";

export interface Fold {
  by: string; // names of the variables
  classes: { text: string; states: number }[];
  edges: [from: number, to: number, count: number][]; // of classes, how many transitions
  class_of(state: ArrayLike<number>): number; // -1: a state of none of them
}

/** The rows by which states can be told apart. */
export function rows_that_vary(view: ModelView, graph: StateGraph): Row[] {
  const first = graph.states[0] ?? [];
  const varies = first.map((value, slot) => graph.states.some((state) => state[slot] !== value));
  return view.rows.filter((row) => row.slots.some((slot) => varies[slot]));
}

export function fold_by(view: ModelView, graph: StateGraph, rows: Row[]): Fold {
  const slots = rows.flatMap((row) => row.slots);
  const key = (state: ArrayLike<number>) => slots.map((slot) => state[slot]).join();
  const numbers = new Map<string, number>();
  const classes: Fold["classes"] = [];
  const class_of_state = graph.states.map((state) => {
    const known = numbers.get(key(state));
    const number = known ?? classes.length;
    if (known === undefined) {
      numbers.set(key(state), number);
      classes.push({ text: rows.map((row) => view.value(row, state)).join(", "), states: 0 });
    }
    (classes[number] as { states: number }).states++;
    return number;
  });
  const counts = new Map<number, number>();
  for (const [from, , to] of graph.edges) {
    const pair = (class_of_state[from] as number) * classes.length + (class_of_state[to] as number);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return {
    by: rows.map((row) => row.name).join(", "),
    classes,
    edges: [...counts].map(([pair, count]) => [Math.floor(pair / classes.length), pair % classes.length, count]),
    class_of: (state) => numbers.get(key(state)) ?? -1,
  };
}

/** A graph that the program has folded, because it is too large to be in the page. */
export function fold_of(view: ModelView, folded: FoldedGraph): Fold {
  const { by } = folded;
  return {
    by: by.map((slot) => view.model.slots[slot]?.name ?? `value ${slot}`).join(", "),
    classes: folded.classes.map(({ values, states }) => ({
      text: values.map((value, i) => view.slot_value(by[i] ?? 0, value)).join(", "),
      states,
    })),
    edges: folded.edges,
    class_of: (state) => folded.classes.findIndex(({ values }) => values.every((value, i) => state[by[i] ?? 0] === value)),
  };
}
