// The variables of the current state, with what the last step changed.

import { memo } from "preact/compat";
import { useEffect, useRef } from "preact/hooks";
import type { Row } from "./model_view";
import { count, counted } from "./numbers";
import { MattersMark } from "./pieces";
import {
  explained,
  explanation,
  filter,
  position,
  replay,
  run_index,
  second,
  second_state,
  selected_row,
  shown_rows,
  state,
  view,
  whole_run,
} from "./store";

const most_rows = 400;

interface RowProperties {
  row: Row;
  name: string;
  text: string;
  before: string | undefined; // the value before the last step, where that has changed it
  second: string | undefined;
  selected: boolean;
  matters: boolean;
}

const VariableRow = memo(function VariableRow({ row, name, text, before, second: other, selected, matters }: RowProperties) {
  const classes = [
    before !== undefined ? "changed" : "",
    selected ? "selected" : "",
    other !== undefined && other !== text ? "different" : "",
  ];
  return (
    <tr class={classes.join(" ").trim()} data-row={row.name} onClick={() => (selected_row.value = selected ? -1 : row.index)}>
      <th scope="row">
        <button type="button" class="text" aria-pressed={selected} title={`${row.name}: jump to its changes with n and p`}>
          {name}
        </button>
        {matters && <MattersMark />}
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
    const title = full_names
      ? "locations"
      : row.component >= 0
        ? model.component_name(row.component)
        : model.is_net
          ? "places"
          : "shared";
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

export function Variables() {
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
  const marked =
    model.is_net && filter.value.text.trim() === ""
      ? wanted.filter(
          (row) =>
            row.kind !== "place" ||
            now[row.slots[0] ?? 0] !== 0 ||
            changed.has(row.index) ||
            (other && other[row.slots[0] ?? 0] !== 0),
        )
      : wanted;
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
        {model.is_net ? "Marking" : "Variables"}{" "}
        <span class="quiet">{p === 0 ? "of the initial state" : `after step ${count(p)}`}</span>
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
                  matters={whole_run.value && row.slots.some((slot) => explanation.value?.slots.has(slot))}
                />
              ))}
            </tbody>
          ))}
        </table>
        {rows.length === 0 && (
          <p class="quiet">{wanted.length === 0 ? "No variable matches the filter." : "No place is marked."}</p>
        )}
        {model.is_net && marked.length < wanted.length && (
          <p class="quiet">
            {counted(wanted.length - marked.length, "empty place")} not shown; name one in the filter to see it.
          </p>
        )}
        {explained.value && wanted.length < model.rows.length && (
          <p class="quiet">Only variables that matter; the whole run shows all {count(model.rows.length)}.</p>
        )}
        {marked.length > rows.length && (
          <p class="quiet">{count(marked.length - rows.length)} more; narrow the filter to see them.</p>
        )}
      </div>
    </section>
  );
}
