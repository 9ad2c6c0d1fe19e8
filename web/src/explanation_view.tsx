// Why a run proves its verdict: the sentences of the explanation, how much of the run matters, and which variables.

import { which_matter } from "./explained";
import { count, counted } from "./numbers";
import { ExplanationText } from "./pieces";
import { explanation, replay, selected_row, view } from "./store";

const most_variables = 24;

/** "6 steps, 4 of which matter, in 3 groups; the run that was found had 9." */
function facts(): string {
  const about = explanation.value;
  const run = replay.value;
  if (!about || !run) return "";
  const length = run.length + (run.run.failure ? 1 : 0);
  const before = about.length_before > length ? `; the run that was found had ${count(about.length_before)}` : "";
  return `${counted(length, "step")}, ${which_matter(about, length)}, in ${counted(about.groups.length, "group")}${before}.`;
}

function VariablesThatMatter() {
  const about = explanation.value;
  const rows = view.value.rows.filter((row) => row.slots.some((slot) => about?.slots.has(slot)));
  if (rows.length === 0) return null;
  return (
    <p class="variables-that-matter">
      Variables that matter:{" "}
      {rows.slice(0, most_variables).map((row) => (
        <button
          key={row.index}
          type="button"
          aria-pressed={row.index === selected_row.value}
          title={`${row.name}: jump to its changes with n and p`}
          onClick={() => (selected_row.value = row.index === selected_row.value ? -1 : row.index)}
        >
          {row.name}
        </button>
      ))}
      {rows.length > most_variables && <span class="more">and {count(rows.length - most_variables)} more</span>}
    </p>
  );
}

export function ExplanationView({ open }: { open: boolean }) {
  const about = explanation.value;
  if (!about) return null;
  return (
    <details class="explanation" open={open}>
      <summary>
        <span class="matters" aria-hidden="true">
          ◆
        </span>{" "}
        <b>Why</b> <span class="quiet">{facts()}</span>
      </summary>
      <p>
        <ExplanationText text={about.text} />
      </p>
      <VariablesThatMatter />
    </details>
  );
}
