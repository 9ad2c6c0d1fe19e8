// What matters in a run: the explanation of `check --explain`, and a run as it lists it. Steps that do not matter are
// folded, the others stand under the process whose steps come in a row.

import type { Explanation, ReportData, Run } from "./data";
import { index_of_step } from "./filter";
import { count } from "./numbers";

export interface StepGroup {
  first: number; // steps, counted from 1
  last: number;
  component: number; // -1: of no single process
}

/** An explanation in terms of the page's model. */
export interface RunExplanation {
  text: string;
  steps: ReadonlySet<number>; // that matter; the failing one is the last, if it does
  shown: ReadonlySet<number>; // those, and all steps of a short cycle
  slots: ReadonlySet<number>;
  groups: StepGroup[];
  length_before: number; // steps of the run as it was found
}

/** The explanation that the answer has of a run, found by the run's index. */
function explanation_in(report: ReportData, run: number): Explanation | undefined {
  for (const property of report.answer.properties) {
    if (property.trace?.run === run) return property.explanation;
    const other = property.traces?.findIndex((trace) => trace.run === run) ?? -1;
    if (other >= 0) return property.explanations?.[other];
  }
  return undefined;
}

const short_cycle = 20;

function shown_steps(run: Run, steps: number[]): Set<number> {
  const shown = new Set(steps);
  const loop = run.loop ?? run.steps.length;
  if (run.steps.length - loop <= short_cycle) for (let k = loop + 1; k <= run.steps.length; k++) shown.add(k);
  return shown;
}

/** Nothing for a run that is not explained, or not the one that was: a saved answer may be shown with another model. */
export function explanation_of(report: ReportData, index: number): RunExplanation | undefined {
  const run = report.runs[index];
  const given = run && explanation_in(report, index);
  if (!given || given.order.length !== run.steps.length + (run.failure ? 1 : 0)) return undefined;
  const { components = [], slots = [] } = report.model ?? {};
  const names = new Set(given.variables);
  return {
    text: given.text,
    steps: new Set(given.steps),
    shown: shown_steps(run, given.steps),
    slots: new Set(slots.flatMap((slot, i) => (names.has(slot.name) ? [i] : []))),
    groups: given.groups.map(({ first, last, process }) => ({
      first,
      last,
      component: process === undefined ? -1 : components.findIndex((component) => component.name === process),
    })),
    length_before: given.length_before,
  };
}

/** "4 of which matter", of so many steps. */
export function which_matter({ steps }: RunExplanation, length: number): string {
  if (steps.size === length) return "all of which matter";
  return steps.size === 1 ? "1 of which matters" : `${steps.size === 0 ? "none" : count(steps.size)} of which matter`;
}

export type Entry =
  | { kind: "step"; step: number; begins?: boolean } // begins: it is the first of a group without a name
  | { kind: "group"; component: number; first: number }
  | { kind: "folded"; first: number; last: number };

/** The rows of a run as it is listed, without its initial state and a failing step. */
export interface Listing {
  count: number;
  entry(row: number): Entry;
  /** The row of a step, or the one before it when the step has none; -1: there is none. */
  row_of(step: number): number;
}

/** All steps, or those that are given. */
export function plain_listing(length: number, steps: Int32Array | undefined): Listing {
  if (!steps) return { count: length, entry: (row) => ({ kind: "step", step: row + 1 }), row_of: (step) => step - 1 };
  return {
    count: steps.length,
    entry: (row) => ({ kind: "step", step: steps[row] as number }),
    row_of: (step) => index_of_step(steps, step),
  };
}

/** The explained run: `steps` under the names of their groups, and between them how many are folded. A group of one step
    needs no name. */
export function explained_listing(explanation: RunExplanation, run: Run, steps: Int32Array): Listing {
  const entries: Entry[] = [];
  const first_steps: number[] = []; // of each entry; a heading has the step before it
  const add = (entry: Entry, step: number) => {
    entries.push(entry);
    first_steps.push(step);
  };
  let next = 0;
  let expected = 1; // the step after the last row
  const fold_until = (step: number): void => {
    const cycle = (run.loop ?? -1) + 1;
    if (expected < cycle && cycle < step) fold_until(cycle); // what is folded is in the cycle, or before it
    if (expected < step) add({ kind: "folded", first: expected, last: step - 1 }, expected);
    expected = step;
  };
  for (const { first, last, component } of explanation.groups) {
    const end = index_of_step(steps, last) + 1;
    if (next === end) continue;
    const named = component >= 0 && end - next > 1;
    if (named) {
      fold_until(first);
      add({ kind: "group", component, first }, first - 1);
    }
    for (let begins = !named; next < end; next++, begins = false) {
      fold_until(steps[next] as number);
      add(begins ? { kind: "step", step: expected, begins } : { kind: "step", step: expected }, expected);
      expected++;
    }
  }
  fold_until(run.steps.length + 1);
  return {
    count: entries.length,
    entry: (row) => entries[row] as Entry,
    row_of: (step) => {
      const row = index_of_step(first_steps, step);
      return entries[row]?.kind === "group" ? row - 1 : row;
    },
  };
}
