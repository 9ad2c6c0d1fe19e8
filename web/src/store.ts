// What the reader looks at: the report, the tab, the run and the position in it, the filter. Views read these signals
// and call the functions below; nothing else changes them.

import { batch, computed, signal } from "@preact/signals";
import type { ReportData, Run } from "./data";
import { type Listing, type RunExplanation, explained_listing, explanation_of, plain_listing } from "./explained";
import { type Filter, filters_anything, index_of_step, no_filter, visible_rows, visible_steps } from "./filter";
import { ModelView, model_of } from "./model_view";
import { Replay, first_difference } from "./replay";
import { SequenceChart } from "./sequence";
import { line_counts } from "./source";

export const tabs = [
  { id: "verdicts", name: "Verdicts" },
  { id: "run", name: "Run" },
  { id: "sequence", name: "Sequence chart" },
  { id: "explored", name: "Explored" },
  { id: "coverage", name: "Coverage" },
  { id: "graph", name: "State graph" },
  { id: "processes", name: "Processes" },
  { id: "source", name: "Source" },
] as const;
export type TabId = (typeof tabs)[number]["id"];

/** Tabs that show the current step, and so have the player's controls. */
export const player_tabs: ReadonlySet<TabId> = new Set<TabId>(["run", "sequence", "graph", "processes", "source"]);

const empty_report: ReportData = {
  format: "tideline-report",
  version: 1,
  created: "",
  command: [],
  answer: {
    tool: "tideline",
    version: "",
    command: "",
    model: "",
    engine: "",
    complete: false,
    properties: [],
    statistics: {},
    never_enabled: [],
    warnings: [],
    exit_code: 0,
  },
  notes: [],
  runs: [],
};

export const report = signal<ReportData>(empty_report);
export const tab = signal<TabId>("verdicts");
export const run_index = signal(0);
export const second_index = signal(-1); // -1: no second run
export const position = signal(0);
export const playing = signal(false);
export const speed = signal(2); // steps a second
export const filter = signal<Filter>(no_filter);
export const whole_run = signal(false); // also the steps that do not matter, of a run that is explained
export const selected_row = signal(-1);
export const shown_line = signal(0); // a line of the source to scroll to; 0: the line of the current step

export const speeds = [0.5, 1, 2, 5, 20, 100, 1000];

// Computed from parts of the report, so that new figures of a run in progress do not rebuild the rest.
const model_part = computed(() => report.value.model);
const runs_part = computed(() => report.value.runs);
const replays = new WeakMap<Run, Replay>();

function replay_of(run: Run | undefined): Replay | undefined {
  if (!run) return undefined;
  let replay = replays.get(run);
  if (!replay) replays.set(run, (replay = new Replay(run)));
  return replay;
}

export const view = computed(() => {
  void model_part.value;
  return new ModelView(model_of(report.peek()));
});
export const replay = computed(() => replay_of(runs_part.value[run_index.value]));
export const second = computed(() =>
  second_index.value === run_index.value ? undefined : replay_of(runs_part.value[second_index.value]),
);
export const difference = computed(() =>
  replay.value && second.value ? first_difference(replay.value, second.value) : undefined,
);
export const state = computed(() => replay.value?.state(position.value));
export const second_state = computed(() => second.value?.state(Math.min(position.value, second.value.length)));
export const chart = computed(() => (replay.value ? new SequenceChart(view.value, replay.value.run) : undefined));
export const counts_by_line = computed(() => line_counts(view.value.model, report.value.exploration));

function explanation_at(index: number): RunExplanation | undefined {
  void runs_part.value;
  return explanation_of(report.peek(), index);
}

/** What matters in the run, where that is known. */
export const explanation = computed(() => explanation_at(run_index.value));
/** The same when only that is shown; undefined: the whole run is. */
export const explained = computed(() => (whole_run.value ? undefined : explanation.value));
export const shown_rows = computed(() => visible_rows(view.value, filter.value, explained.value));
export const shown_steps = computed(() =>
  replay.value ? visible_steps(view.value, replay.value.run, filter.value, explained.value) : undefined,
);

/** The rows of a run. What a filter hides is not counted as folded, so a filtered run has no groups. */
function listing_of(run: Replay, steps: Int32Array | undefined, about: RunExplanation | undefined): Listing {
  return about && steps && !filters_anything(filter.value)
    ? explained_listing(about, run.run, steps)
    : plain_listing(run.length, steps);
}
export const listing = computed(() =>
  replay.value ? listing_of(replay.value, shown_steps.value, explained.value) : plain_listing(0, undefined),
);
export const second_explanation = computed(() => explanation_at(second_index.value));
export const second_listing = computed(() => {
  if (!second.value) return plain_listing(0, undefined);
  const about = whole_run.value ? undefined : second_explanation.value;
  return listing_of(second.value, visible_steps(view.value, second.value.run, filter.value, about), about);
});

/** The action of the step that led to the current state; undefined in the initial state. */
export const current_action = computed(() => {
  const p = position.value;
  return replay.value && p > 0 && p <= replay.value.length ? replay.value.step(p).a : undefined;
});
/** The line of the failing action, at the end of a run that ends with one; 0: none. */
export const failed_line = computed(() =>
  replay.value && position.value === replay.value.length ? (replay.value.run.failure?.line ?? 0) : 0,
);
export const current_lines = computed(() =>
  replay.value && current_action.value !== undefined
    ? view.value.lines(current_action.value, replay.value.state(position.value - 1))
    : [],
);

export function select_run(index: number, at = 0): void {
  batch(() => {
    const run = report.value.runs[index];
    if (!run) return;
    run_index.value = index;
    position.value = Math.max(0, Math.min(run.steps.length, at));
    playing.value = false;
    if (second_index.value === index) second_index.value = -1;
  });
}

export function go_to(p: number): void {
  if (!replay.value) return;
  batch(() => {
    position.value = Math.max(0, Math.min(replay.value?.length ?? 0, Math.round(p)));
    shown_line.value = 0;
  });
}

/** One step on, over steps that the filter hides; false at the end of the run. A lasso goes round. */
export function step_forward(): boolean {
  const run = replay.value;
  if (!run) return false;
  const steps = shown_steps.value;
  let next = run.next(position.value);
  if (steps) {
    next = steps[index_of_step(steps, position.value) + 1];
    if (next === undefined && run.is_lasso()) next = steps[index_of_step(steps, run.run.loop as number) + 1];
  }
  if (next === undefined || next === position.value) return false;
  go_to(next);
  return true;
}

export function step_back(): void {
  const steps = shown_steps.value;
  const previous = steps
    ? (steps[index_of_step(steps, position.value - 1)] ?? 0)
    : (replay.value?.previous(position.value) ?? 0);
  go_to(previous);
}

/** To the next (or previous) step that changes the selected variable. */
export function jump_to_change(forward: boolean): void {
  const row = view.value.rows[selected_row.value];
  if (!row || !replay.value) return;
  const slots = new Set(row.slots);
  const found = forward ? replay.value.next_change(position.value, slots) : replay.value.previous_change(position.value, slots);
  if (found !== undefined) go_to(found);
}

let last_frame = 0;
let owed = 0;

/** Starts and stops the player. Several steps are taken in a frame when the speed asks for it. */
export function play(on: boolean): void {
  if (on === playing.value) return;
  const run = replay.value;
  if (on && (!run || run.length === 0)) return;
  if (on && run && position.value >= run.length && !run.is_lasso()) go_to(0);
  playing.value = on;
  if (!on) return;
  last_frame = performance.now();
  owed = 0;
  const frame = (now: number) => {
    if (!playing.value) return;
    owed += (Math.max(0, now - last_frame) / 1000) * speed.value;
    last_frame = now;
    batch(() => {
      for (let i = 0; i < 200 && owed >= 1; i++, owed--)
        if (!step_forward()) {
          playing.value = false;
          break;
        }
    });
    owed = Math.min(owed, 1);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
