// What goes onto paper besides the verdicts: the current run as a table, up to 500 steps.

import { count } from "./numbers";
import { arrows } from "./pieces";
import { replay, view } from "./store";
import { Verdicts } from "./verdicts";

const most_steps = 500;

export function PrintedRun() {
  const run = replay.value;
  if (!run)
    return (
      <section>
        <Verdicts />
      </section>
    );
  const model = view.value;
  const last = Math.min(run.length, most_steps);
  let before = run.state(0);
  const rows = [];
  for (let k = 1; k <= last; k++) {
    const after = run.state_after(before, k);
    const step = run.step(k);
    const changes = model.row_changes(step, before, after);
    rows.push(
      <tr class={run.is_lasso() && k === (run.run.loop as number) + 1 ? "cycle-start" : ""}>
        <td class="number">{count(k)}</td>
        <td>
          {arrows(model.action_label(step.a))}
          {run.is_lasso() && k === (run.run.loop as number) + 1 && " (↻ cycle begins)"}
          {run.is_lasso() && k === run.length && ` (↺ back to state ${run.run.loop})`}
        </td>
        <td>{changes.map((change) => `${change.name}: ${change.before} → ${change.after}`).join(", ")}</td>
      </tr>,
    );
    before = after;
  }
  return (
    <section>
      <Verdicts />
      <h2>Run: {run.run.title}</h2>
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
        <tbody>{rows}</tbody>
      </table>
      {run.run.failure && (
        <p>
          Then {model.action_label(run.run.failure.action)} fails: {run.run.failure.message}
        </p>
      )}
      {run.length > last && <p>{count(run.length - last)} more steps are not printed.</p>}
    </section>
  );
}
