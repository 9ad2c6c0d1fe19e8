// What goes onto paper besides the verdicts: the current run as a table, explained or whole, up to 500 rows.

import type { ComponentChildren } from "preact";
import type { Entry } from "./explained";
import { count } from "./numbers";
import { arrows } from "./pieces";
import { folded_text } from "./step_list";
import { explanation, listing, replay, view } from "./store";
import { Verdicts } from "./verdicts";

const most_rows = 500;

function PrintedRow({ entry }: { entry: Entry }) {
  const run = replay.value;
  const model = view.value;
  if (!run) return null;
  if (entry.kind === "group")
    return (
      <tr class="group">
        <th colSpan={3} scope="rowgroup">
          {model.component_name(entry.component)}
        </th>
      </tr>
    );
  const { loop = run.length } = run.run;
  const first = entry.kind === "folded" ? entry.first : entry.step;
  const cells = (number: ComponentChildren, text: ComponentChildren, changes: ComponentChildren) => (
    <tr class={first === loop + 1 ? "cycle-start" : ""}>
      <td class="number">{number}</td>
      <td>
        {text}
        {first === loop + 1 && " (↻ cycle begins)"}
        {run.is_lasso() && first === run.length && ` (↺ back to state ${loop})`}
      </td>
      <td>{changes}</td>
    </tr>
  );
  if (entry.kind === "folded") return cells("⋮", folded_text(entry.first, entry.last), "");
  const step = run.step(first);
  const changes = model.row_changes(step, run.state(first - 1), run.state(first));
  return cells(
    `${explanation.value?.steps.has(first) ? "◆ " : ""}${count(first)}`,
    arrows(model.action_label(step.a)),
    changes.map((change) => `${change.name}: ${change.before} → ${change.after}`).join(", "),
  );
}

export function PrintedRun() {
  const run = replay.value;
  if (!run)
    return (
      <section>
        <Verdicts />
      </section>
    );
  const model = view.value;
  const rows = listing.value;
  const last = Math.min(rows.count, most_rows);
  return (
    <section>
      <Verdicts />
      <h2>Run: {run.run.title}</h2>
      {explanation.value && <p>{explanation.value.text.replace(/`/g, "")}</p>}
      <p>
        Initial state:{" "}
        {model.rows
          .slice(0, 300)
          .map((row) => `${row.name} = ${model.value(row, run.state(0))}`)
          .join(", ")}
      </p>
      <table class="printed-run">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Action</th>
            <th scope="col">Changes</th>
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: last }, (_, row) => (
            <PrintedRow key={row} entry={rows.entry(row)} />
          ))}
        </tbody>
      </table>
      {run.run.failure && (
        <p>
          Then {model.action_label(run.run.failure.action)} fails: {run.run.failure.message}
        </p>
      )}
      {rows.count > last && <p>{count(rows.count - last)} more rows are not printed.</p>}
    </section>
  );
}
