// The run step by step: the filter, the list of steps, the variables of the current state, the source beside them.

import { memo } from "preact/compat";
import { useEffect, useRef } from "preact/hooks";
import { filters_anything, index_of_step, no_filter, visible_steps } from "./filter";
import type { Row } from "./model_view";
import { count, counted } from "./numbers";
import { ActionText, Missing, WithCode } from "./pieces";
import { Player } from "./player";
import type { Replay } from "./replay";
import { SourceText } from "./source_view";
import { difference, filter, go_to, position, replay, report, run_index, second, second_state, selected_row, shown_rows, shown_steps, state, view } from "./store";
import { VirtualList } from "./virtual_list";

const row_height = 30;
const most_rows = 400;

export function FilterBar() {
  const { value } = filter;
  const run = replay.value;
  const steps = shown_steps.value;
  const components = view.value.model.components;
  return (
    <form class="filter" role="search" aria-label="Filter steps and variables" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="sr-only">Name of a variable or action</span>
        <input
          id="filter-text"
          type="search"
          placeholder="Filter by variable or action  ( / )"
          value={value.text}
          onInput={(event) => (filter.value = { ...filter.value, text: event.currentTarget.value })}
        />
      </label>
      {components.length > 0 && (
        <label>
          Process{" "}
          <select id="filter-process" value={value.component} onChange={(event) => (filter.value = { ...filter.value, component: Number(event.currentTarget.value) })}>
            <option value={-1}>all</option>
            {components.map((component, i) => (
              <option value={i}>{component.name}</option>
            ))}
          </select>
        </label>
      )}
      {run?.run.explanation && (
        <label class="check">
          <input
            id="only-explained"
            type="checkbox"
            checked={value.only_explained}
            onChange={(event) => (filter.value = { ...filter.value, only_explained: event.currentTarget.checked })}
          />{" "}
          only what matters
        </label>
      )}
      {filters_anything(value) && (
        <span class="filter-state" role="status">
          {steps ? `${count(steps.length)} of ${counted(run?.length ?? 0, "step")}` : ""}{" "}
          <button type="button" class="text" onClick={() => (filter.value = no_filter)}>
            show all
          </button>
        </span>
      )}
    </form>
  );
}

function StepRow({ run, step, before, after, differs }: { run: Replay; step: number; before: Float64Array; after: Float64Array; differs: boolean }) {
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
function StepList({ run, label, id }: { run: Replay; label: string; id: string }) {
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
                <div key="failure" class="step failure" role="option" aria-selected={false} aria-setsize={entries + 1} aria-posinset={entries + 1}>
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
                {step === 0 ? <span class="quiet">initial state</span> : <StepRow run={run} step={step} before={before} after={after} differs={difference.value === step} />}
              </div>,
            );
          }
          return rows;
        }}
      />
    </section>
  );
}

interface RowProperties {
  row: Row;
  name: string;
  text: string;
  before: string | undefined; // the value before the last step, where that has changed it
  second: string | undefined;
  selected: boolean;
}

const VariableRow = memo(function VariableRow({ row, name, text, before, second: other, selected }: RowProperties) {
  const classes = [before !== undefined ? "changed" : "", selected ? "selected" : "", other !== undefined && other !== text ? "different" : ""];
  return (
    <tr class={classes.join(" ").trim()} data-row={row.name} onClick={() => (selected_row.value = selected ? -1 : row.index)}>
      <th scope="row">
        <button type="button" class="text" aria-pressed={selected} title={`${row.name}: jump to its changes with n and p`}>
          {name}
        </button>
      </th>
      <td class="value">
        {before !== undefined && (
          <>
            <span class="mark" title="changed by this step">
              ●<span class="sr-only"> changed</span>
            </span>
            <s>{before}</s> <span aria-hidden="true">→</span>{" "}
          </>
        )}
        <span class="now-value">{text}</span>
      </td>
      {other !== undefined && (
        <td class="value">
          {other !== text && (
            <span class="mark" title="differs between the runs">
              ≠<span class="sr-only"> differs</span>
            </span>
          )}
          {other}
        </td>
      )}
    </tr>
  );
});

/** Rows by process. Processes with nothing but a location share a group, where each has its name. */
function groups_of(rows: Row[]): { title: string; rows: Row[]; full_names: boolean }[] {
  const model = view.value;
  const sizes = new Map<number, number>();
  for (const row of model.rows) sizes.set(row.component, (sizes.get(row.component) ?? 0) + 1);
  const lonely = (row: Row) => row.kind === "location" && sizes.get(row.component) === 1;
  const groups: { title: string; rows: Row[]; full_names: boolean }[] = [];
  for (const row of rows) {
    const full_names = lonely(row);
    const title = full_names ? "locations" : row.component >= 0 ? model.component_name(row.component) : model.is_net ? "places" : "shared";
    const last = groups[groups.length - 1];
    if (last && last.title === title && last.full_names === full_names) last.rows.push(row);
    else groups.push({ title, rows: [row], full_names });
  }
  return groups;
}

/** Scrolls to the first changed row when no changed row is in sight. */
function show_a_change(scroller: HTMLElement | null): void {
  if (!scroller) return;
  const changed = [...scroller.querySelectorAll<HTMLElement>("tr.changed")];
  const [top, bottom] = [scroller.scrollTop, scroller.scrollTop + scroller.clientHeight];
  const first = changed[0];
  if (!first || changed.some((row) => row.offsetTop >= top && row.offsetTop + row.offsetHeight <= bottom)) return;
  scroller.scrollTop = Math.max(0, first.offsetTop - scroller.clientHeight / 3);
}

function Variables() {
  const table = useRef<HTMLDivElement>(null);
  useEffect(() => show_a_change(table.current), [position.value, run_index.value]);
  const run = replay.value;
  const now = state.value;
  if (!run || !now) return null;
  const model = view.value;
  const p = position.value;
  const before = p > 0 ? run.state(p - 1) : undefined;
  const changed = new Set(p > 0 ? run.changes(p, before).map((change) => model.row_of_slot[change.slot]) : []);
  const other = second_state.value;
  const wanted = shown_rows.value;
  // A marking is mostly zeros: a net shows the places with tokens, and those that just lost theirs.
  const marked = model.is_net && filter.value.text.trim() === "" ? wanted.filter((row) => row.kind !== "place" || now[row.slots[0] ?? 0] !== 0 || changed.has(row.index) || (other && other[row.slots[0] ?? 0] !== 0)) : wanted;
  // Too many to show: what the step changed comes first, wherever it is.
  const crowded = marked.length > most_rows;
  const first_rows = crowded ? marked.filter((row) => changed.has(row.index)).slice(0, most_rows) : [];
  const rest = crowded ? marked.filter((row) => !changed.has(row.index)).slice(0, most_rows - first_rows.length) : marked;
  const rows = [...first_rows, ...rest];
  const groups = groups_of(rest);
  if (first_rows.length > 0) groups.unshift({ title: "changed by this step", rows: first_rows, full_names: true });
  return (
    <section class="pane variables-pane" aria-label="Variables">
      <h2 class="pane-title">
        {model.is_net ? "Marking" : "Variables"} <span class="quiet">{p === 0 ? "of the initial state" : `after step ${count(p)}`}</span>
      </h2>
      <div class="scroll" ref={table} tabIndex={0} role="region" aria-label="Table of variables">
        <table class="variables">
          {other && (
            <thead>
              <tr>
                <th scope="col">Variable</th>
                <th scope="col">{run.run.title}</th>
                <th scope="col">{second.value?.run.title}</th>
              </tr>
            </thead>
          )}
          {groups.map((group) => (
            <tbody key={group.rows[0]?.index}>
              {(groups.length > 1 || !model.is_net) && (
                <tr class="group">
                  <th colSpan={other ? 3 : 2} scope="rowgroup">
                    {group.title}
                  </th>
                </tr>
              )}
              {group.rows.map((row) => (
                <VariableRow
                  key={row.index}
                  row={row}
                  name={group.full_names ? row.name : row.short}
                  text={model.value(row, now)}
                  before={before && changed.has(row.index) ? model.value(row, before) : undefined}
                  second={other && model.value(row, other)}
                  selected={row.index === selected_row.value}
                />
              ))}
            </tbody>
          ))}
        </table>
        {rows.length === 0 && <p class="quiet">{wanted.length === 0 ? "No variable matches the filter." : "No place is marked."}</p>}
        {model.is_net && marked.length < wanted.length && <p class="quiet">{counted(wanted.length - marked.length, "empty place")} not shown; name one in the filter to see it.</p>}
        {marked.length > rows.length && <p class="quiet">{count(marked.length - rows.length)} more; narrow the filter to see them.</p>}
      </div>
    </section>
  );
}

function Comparison() {
  const other = second.value;
  if (!other) return null;
  const at = difference.value;
  return (
    <p class="comparison" role="status">
      {at === undefined ? (
        "The two runs are the same."
      ) : (
        <>
          <b>≠</b> The runs differ first {at === 0 ? "in the initial state" : `in step ${count(at)}`}.{" "}
          <button type="button" class="text" onClick={() => go_to(at)}>
            go there
          </button>
        </>
      )}
    </p>
  );
}

export function no_runs_text() {
  return (
    <>
      A property that is violated, or a state that is reached, comes with a run. Simulate one and save it with <code>tideline simulate MODEL --random --trace run.itf.json</code>, then{" "}
      <code>tideline report ANSWER.json run.itf.json</code> shows it here.
    </>
  );
}

export function RunView() {
  const run = replay.value;
  if (!run) return <Missing what="This report has no run">{no_runs_text()}</Missing>;
  const other = second.value;
  const has_source = report.value.model?.source !== undefined;
  return (
    <div class="run-view">
      <Player />
      <FilterBar />
      <Comparison />
      {run.run.explanation && (
        <p class="explanation">
          <span class="matters">◆</span> <WithCode text={run.run.explanation.text} />
        </p>
      )}
      <div class={`panes ${other ? "with-second" : ""} ${has_source && !other ? "with-source" : ""}`}>
        <StepList key="first" id="step" run={run} label={other ? run.run.title : "Steps"} />
        {other && <StepList key="second" id="second" run={other} label={other.run.title} />}
        <Variables />
        {has_source && !other && (
          <section class="pane source-pane" aria-label="Source">
            <h2 class="pane-title">
              Source <span class="quiet">{report.value.model?.name}</span>
            </h2>
            <SourceText />
          </section>
        )}
      </div>
    </div>
  );
}
