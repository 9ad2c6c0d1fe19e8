// The steps of a run as a list of which only the rows in sight are built.

import type { Listing, RunExplanation } from "./explained";
import { count } from "./numbers";
import { ActionText, MattersMark, ProcessChip } from "./pieces";
import type { Replay } from "./replay";
import { difference, go_to, position, selected_row, view } from "./store";
import { VirtualList } from "./virtual_list";

const row_height = 30;

function CycleBegins() {
  return <span class="badge cycle-begins">↻ cycle begins</span>;
}

function StepRow({
  run,
  step,
  before,
  after,
  differs,
}: {
  run: Replay;
  step: number;
  before: Float64Array;
  after: Float64Array;
  differs: boolean;
}) {
  const changes = view.value.row_changes(run.step(step), before, after);
  const shown = changes.slice(0, 8);
  return (
    <>
      <ActionText action={run.step(step).a} />
      {run.is_lasso() && step === (run.run.loop as number) + 1 && <CycleBegins />}
      {run.is_lasso() && step === run.length && <span class="badge">↺ back to state {count(run.run.loop as number)}</span>}
      {differs && <span class="badge differs">≠ first difference</span>}
      <span class="changes">
        {shown.map((change) => (
          <span class={change.row.index === selected_row.value ? "change selected" : "change"}>
            {change.name}: {change.before} → <b>{change.after}</b>
          </span>
        ))}
        {changes.length > shown.length && <span class="more">and {changes.length - shown.length} more</span>}
      </span>
    </>
  );
}

/** How many steps are folded. */
export function folded_text(first: number, last: number): string {
  return first === last ? `1 step that does not matter (${count(first)})` : `${count(last - first + 1)} steps that do not matter (${count(first)}–${count(last)})`;
}

/** The steps of a run as a listbox. Its first option is the initial state; names of groups are not options. */
export function StepList({
  run,
  label,
  id,
  rows: listing,
  explanation,
}: {
  run: Replay;
  label: string;
  id: string;
  rows: Listing;
  explanation: RunExplanation | undefined;
}) {
  const here = Math.min(position.value, run.length);
  const current = listing.row_of(here) + 1;
  const failure = run.run.failure;
  const options = listing.count + 1;
  const loop = run.is_lasso() ? (run.run.loop as number) : Infinity;
  const option = (row: number) => ({ role: "option" as const, "aria-setsize": options + (failure ? 1 : 0), "aria-posinset": row + 1 });

  const initial_row = (
    <div
      key="initial"
      id={`${id}-0`}
      class={`step${here === 0 ? " current" : ""}`}
      {...option(0)}
      aria-selected={here === 0}
      data-step={0}
      onClick={() => go_to(0)}
    >
      <span class="number">0</span>
      <span class="quiet">initial state</span>
    </div>
  );
  const failure_row = () => (
    <div key="failure" class="step failure" {...option(options)} aria-selected={false}>
      <span class="number">✗</span>
      {explanation?.steps.has(run.length + 1) && <MattersMark />}
      <ActionText action={failure?.action ?? -1} />
      <span class="changes">
        <b>fails: {failure?.message}</b>
      </span>
    </div>
  );
  const heading_row = (component: number, first: number) => (
    <div key={`g${first}`} class="step group-name" role="presentation" aria-hidden="true">
      <ProcessChip component={component} />
    </div>
  );
  const folded_row = (row: number, first: number, last: number) => (
    <div
      key={`f${first}`}
      id={`${id}-${row}`}
      class={`step folded${row === current ? " current" : ""}${first > loop ? " in-cycle" : ""}${first === loop + 1 ? " cycle-start" : ""}`}
      {...option(row)}
      aria-selected={row === current}
      data-folded={first}
      onClick={() => go_to(first)}
    >
      <span class="number" aria-hidden="true">
        ⋮
      </span>
      {folded_text(first, last)}
      {first === loop + 1 && <CycleBegins />}
    </div>
  );
  const step_row = (row: number, step: number, before: Float64Array, after: Float64Array, begins: boolean, group: number) => {
    const classes = ["step"];
    if (begins) classes.push("group-start");
    if (step === here) classes.push("current");
    if (step > loop) classes.push("in-cycle");
    if (step === loop + 1) classes.push("cycle-start");
    if (step === run.length && loop < Infinity) classes.push("cycle-end");
    return (
      <div
        key={step}
        id={`${id}-${row}`}
        class={classes.join(" ")}
        {...option(row)}
        aria-selected={step === here}
        data-step={step}
        onClick={() => go_to(step)}
      >
        <span class="number">{count(step)}</span>
        {explanation && (explanation.steps.has(step) ? <MattersMark /> : <span class="matters" />)}
        {group >= 0 && <span class="sr-only">steps of {view.value.component_name(group)}: </span>}
        <StepRow run={run} step={step} before={before} after={after} differs={difference.value === step} />
      </div>
    );
  };
  return (
    <section class="pane steps-pane" aria-label={label}>
      <h2 class="pane-title">{label}</h2>
      <VirtualList
        class="steps"
        role="listbox"
        tabIndex={0}
        aria-label={`Steps of ${run.run.title}`}
        aria-activedescendant={`${id}-${current}`}
        count={options + (failure ? 1 : 0)}
        row_height={row_height}
        style={{ "--number-width": `${count(run.length).length + 2}ch` } as never}
        follow={failure && here === run.length ? options : current}
        render={(first, last) => {
          const rows = [];
          let at = -1; // of the last state that was rebuilt
          let state = new Float64Array(0) as Float64Array;
          let group = -1; // named in the row before
          for (let row = first; row < last; row++) {
            if (row === 0) rows.push(initial_row);
            else if (row >= options) rows.push(failure_row());
            else {
              const entry = listing.entry(row - 1);
              if (entry.kind === "group") rows.push(heading_row(entry.component, entry.first));
              else if (entry.kind === "folded") rows.push(folded_row(row, entry.first, entry.last));
              else {
                const before = at === entry.step - 1 ? state : run.state(entry.step - 1);
                at = entry.step;
                state = run.state_after(before, at);
                rows.push(step_row(row, entry.step, before, state, entry.begins === true, group));
              }
              group = entry.kind === "group" ? entry.component : -1;
            }
          }
          return rows;
        }}
      />
    </section>
  );
}
