// The steps of a run as a list of which only the rows in sight are built.

import { index_of_step, visible_steps } from "./filter";
import { count } from "./numbers";
import { ActionText } from "./pieces";
import type { Replay } from "./replay";
import { difference, filter, go_to, position, replay, selected_row, shown_steps, view } from "./store";
import { VirtualList } from "./virtual_list";

const row_height = 30;

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
      {run.run.loop !== undefined && step === run.run.loop + 1 && <span class="badge cycle-begins">↻ cycle begins</span>}
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

/** The steps of a run as a listbox; entry 0 is the initial state. */
export function StepList({ run, label, id }: { run: Replay; label: string; id: string }) {
  const steps = run === replay.value ? shown_steps.value : visible_steps(view.value, run.run, filter.value);
  const explained = new Set(run.run.explanation?.steps ?? []);
  const step_of = (entry: number) => (entry === 0 ? 0 : steps ? (steps[entry - 1] as number) : entry);
  const entries = 1 + (steps ? steps.length : run.length);
  const here = Math.min(position.value, run.length);
  const current = steps ? index_of_step(steps, here) + 1 : here;
  const failure = run.run.failure;
  const loop = run.is_lasso() ? (run.run.loop as number) : Infinity;
  return (
    <section class="pane steps-pane" aria-label={label}>
      <h2 class="pane-title">{label}</h2>
      <VirtualList
        class="steps"
        role="listbox"
        tabIndex={0}
        aria-label={`Steps of ${run.run.title}`}
        aria-activedescendant={`${id}-${current}`}
        count={entries + (failure ? 1 : 0)}
        row_height={row_height}
        follow={failure && here === run.length ? entries : current}
        render={(first, last) => {
          const rows = [];
          let state = first > 1 ? run.state(step_of(first) - 1) : run.state(0);
          for (let entry = first; entry < last; entry++) {
            if (entry >= entries) {
              rows.push(
                <div
                  key="failure"
                  class="step failure"
                  role="option"
                  aria-selected={false}
                  aria-setsize={entries + 1}
                  aria-posinset={entries + 1}
                >
                  <span class="number">✗</span>
                  <ActionText action={failure?.action ?? -1} />
                  <span class="changes">
                    <b>fails: {failure?.message}</b>
                  </span>
                </div>,
              );
              continue;
            }
            const step = step_of(entry);
            const before = !steps || entry === 0 ? state : run.state(step - 1);
            const after = entry === 0 ? state : run.state_after(before, step);
            state = after;
            const classes = ["step"];
            if (step === here) classes.push("current");
            if (step > loop) classes.push("in-cycle");
            if (step === loop + 1) classes.push("cycle-start");
            if (step === run.length && loop < Infinity) classes.push("cycle-end");
            if (explained.has(step)) classes.push("explained");
            rows.push(
              <div
                key={step}
                id={`${id}-${entry}`}
                class={classes.join(" ")}
                role="option"
                aria-selected={step === here}
                aria-setsize={entries}
                aria-posinset={entry + 1}
                data-step={step}
                onClick={() => go_to(step)}
              >
                <span class="number">{count(step)}</span>
                {explained.has(step) && (
                  <span class="matters" title="this step matters">
                    ◆<span class="sr-only"> matters</span>
                  </span>
                )}
                {step === 0 ? (
                  <span class="quiet">initial state</span>
                ) : (
                  <StepRow run={run} step={step} before={before} after={after} differs={difference.value === step} />
                )}
              </div>,
            );
          }
          return rows;
        }}
      />
    </section>
  );
}
