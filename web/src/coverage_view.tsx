// The tab Coverage: actions by process, those never taken first; places of a net that were never marked.

import { useState } from "preact/hooks";
import { type ProcessCoverage, coverage_of, never_marked } from "./coverage";
import { count, counted } from "./numbers";
import { LineLink, Missing, arrows } from "./pieces";
import { report, view } from "./store";

const most_rows = 300;

function ProcessActions({ group, open }: { group: ProcessCoverage; open: boolean }) {
  const [shown, set_shown] = useState(open);
  const model = view.value;
  const title = group.component < 0 ? (model.is_net ? "Transitions" : "Actions") : model.component_name(group.component);
  const most = Math.max(1, ...group.actions.map((entry) => entry.taken));
  return (
    <details open={open} onToggle={(event) => set_shown(event.currentTarget.open)} class="coverage">
      <summary>
        <b>{title}</b>{" "}
        <span class="quiet">
          {counted(group.actions.length, "action")}
          {group.never > 0 ? ", " : ", all taken"}
        </span>
        {group.never > 0 && <span class="never-word">{count(group.never)} never taken</span>}
      </summary>
      {shown && (
        <div class="table-scroll">
          <table class="data actions">
            <thead>
              <tr>
                <th scope="col">Action</th>
                <th scope="col">Guard</th>
                <th scope="col">Source</th>
                <th scope="col" class="figure">
                  Taken
                </th>
                <th scope="col" class="wide">
                  <span class="sr-only">as a bar</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {group.actions.slice(0, most_rows).map(({ action, taken, proven }) => {
                const entry = model.model.actions[action];
                const part = entry?.participants.find((p) => p.component === group.component);
                const line = (part ?? entry)?.line ?? 0;
                const label = model.action_label(action);
                const others = [...new Set((entry?.participants ?? []).map((p) => p.component))].filter(
                  (c) => c !== group.component && !label.includes(`${model.component_name(c)}:`),
                );
                return (
                  <tr key={action} class={taken === 0 ? "never" : ""}>
                    <th scope="row">
                      {arrows(label)}
                      {others.length > 0 && (
                        <span class="quiet"> with {others.map((c) => model.component_name(c)).join(", ")}</span>
                      )}
                    </th>
                    <td>{entry?.guard && <code>{entry.guard}</code>}</td>
                    <td>
                      <LineLink line={line} />
                    </td>
                    <td class="figure">
                      {taken > 0 ? count(taken) : <span class="never-word">{proven ? "never" : "not yet"}</span>}
                    </td>
                    <td class="wide">
                      <span class="bar" aria-hidden="true">
                        <span style={{ width: `${taken === 0 ? 0 : Math.max(1, (taken / most) * 100)}%` }} />
                      </span>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {group.actions.length > most_rows && (
            <p class="quiet">{count(group.actions.length - most_rows)} more, taken more often than these.</p>
          )}
        </div>
      )}
    </details>
  );
}

export function Coverage() {
  const { exploration, model } = report.value;
  if (!exploration || !model || exploration.states === 0)
    return (
      <Missing what="Nothing was counted">
        How often each action was taken is counted in a pass over the states, which this report does not have. Make it with{" "}
        <code>tideline check MODEL --report FILE.html</code>; a model too large to visit is counted as far as the time allows.
      </Missing>
    );
  const groups = coverage_of(model, exploration);
  const zeros = exploration.actions.filter((n) => n === 0).length;
  const places = never_marked(model, exploration);
  const proven = exploration.never_enabled_is_proven;
  return (
    <div class="page">
      <section aria-labelledby="coverage-title">
        <h2 id="coverage-title">Actions, how often taken</h2>
        <p>{exploration.how}</p>
        <p>
          {zeros === 0 ? (
            "Every action was taken at least once."
          ) : (
            <>
              {count(model.actions.length - zeros)} of {counted(model.actions.length, "action")} were taken,{" "}
              <span class="never-word">{count(zeros)} never</span>.{" "}
            </>
          )}
          {zeros > 0 &&
            (proven ? (
              <b>This is proven: all reachable states were seen.</b>
            ) : (
              <>
                <b>This is not proven:</b> not all states were seen, and in the others “not yet” may become more.
                {exploration.never_enabled &&
                  exploration.never_enabled.length > 0 &&
                  " “Never” is proven by the engine's own search."}
              </>
            ))}
        </p>
        <div class="groups">
          {groups.map((group, i) => (
            <ProcessActions key={group.component} group={group} open={groups.length <= 4 || (group.never > 0 && i < 8)} />
          ))}
        </div>
      </section>
      {places.length > 0 && (
        <section aria-labelledby="places-title">
          <h2 id="places-title">Places never marked</h2>
          <p>
            {counted(places.length, "place")} had no token in any state that was seen
            {exploration.complete ? ", which are all reachable states" : "; there may be more states"}.
          </p>
          <ul class="names">
            {places.slice(0, 500).map((slot) => (
              <li key={slot}>
                <code>{model.slots[slot]?.name}</code>
              </li>
            ))}
          </ul>
          {places.length > 500 && <p class="quiet">and {count(places.length - 500)} more</p>}
        </section>
      )}
    </div>
  );
}
