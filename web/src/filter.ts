// Which steps of a run and which variables are shown: those of one process, those that a text matches, and of an
// explained run those that matter.

import type { Run } from "./data";
import type { RunExplanation } from "./explained";
import type { ModelView, Row } from "./model_view";

export interface Filter {
  text: string;
  component: number; // -1: all
}

export const no_filter: Filter = { text: "", component: -1 };

export function filters_anything(filter: Filter): boolean {
  return filter.text.trim() !== "" || filter.component >= 0;
}

function matcher(text: string): (name: string) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (name) => words.some((word) => name.toLowerCase().includes(word));
}

/** The variables to show: those of the process and the globals, those that matter, those whose name matches. */
export function visible_rows(view: ModelView, filter: Filter, explained?: RunExplanation): Row[] {
  let rows = view.rows;
  if (filter.component >= 0) rows = rows.filter((row) => row.component === filter.component || row.component < 0);
  if (explained) rows = rows.filter((row) => row.slots.some((slot) => explained.slots.has(slot)));
  if (filter.text.trim() === "") return rows;
  const matches = matcher(filter.text);
  return rows.filter((row) => matches(row.name));
}

/** The numbers (from 1) of the steps to show; undefined when all are. */
export function visible_steps(
  view: ModelView,
  run: Run,
  filter: Filter,
  explained?: RunExplanation,
): Int32Array | undefined {
  if (!filters_anything(filter) && !explained) return undefined;
  const matches = filter.text.trim() === "" ? undefined : matcher(filter.text);
  const slot_matches =
    matches &&
    view.model.slots.map((slot, i) => matches(slot.name) || matches(view.rows[view.row_of_slot[i] ?? -1]?.name ?? ""));
  const action_matches = matches && view.model.actions.map((action) => matches(action.label));
  const result: number[] = [];
  run.steps.forEach((step, i) => {
    if (explained && !explained.shown.has(i + 1)) return;
    if (filter.component >= 0 && !view.movers(step.a).includes(filter.component)) return;
    if (
      slot_matches &&
      action_matches &&
      !action_matches[step.a] &&
      !step.c.some((slot, j) => j % 2 === 0 && slot_matches[slot])
    )
      return;
    result.push(i + 1);
  });
  return Int32Array.from(result);
}

/** Where `step` is in a sorted list of steps: the index of the last one that is not after it, -1 when all are. */
export function index_of_step(steps: ArrayLike<number>, step: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] as number) <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
