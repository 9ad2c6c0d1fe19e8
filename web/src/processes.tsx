// The control graphs of the processes: where each can be, which transitions were taken, and where it is now.

import { useState } from "preact/hooks";
import { control_edges, drawn_edges } from "./control_graph";
import { Drawing, box_width, cut } from "./drawing";
import { count, counted } from "./numbers";
import { LineLink, Missing, ProcessChip, arrows } from "./pieces";
import { Player } from "./player";
import { current_action, position, replay, report, state, view } from "./store";

const most_locations = 300;
const shown_at_once = 6;

function ControlGraph({ component }: { component: number }) {
  const model = view.value.model;
  const entry = model.components[component];
  const { exploration } = report.value;
  if (!entry) return null;
  const slot = view.value.location_slot[component] ?? -1;
  const here = slot >= 0 ? state.value?.[slot] : undefined;
  const before = position.value > 0 ? replay.value?.state(position.value - 1)[slot] : undefined;
  const edges = control_edges(model, component, exploration);
  const never = edges.filter((edge) => edge.taken === 0).length;
  const too_large = entry.locations.length > most_locations;
  const nodes = entry.locations.map((location, i) => {
    const label = cut(location.name, 26);
    const words = [i === entry.initial ? "initial" : "", i === here ? "here" : "", location.committed ? "committed" : ""];
    return {
      label,
      width: box_width(label),
      height: 30,
      classes: words.join(" "),
      title: `${location.name}${i === entry.initial ? ", initial" : ""}${location.committed ? ", committed" : ""}${i === here ? ", the process is here" : ""}`,
    };
  });
  const drawn = drawn_edges(edges).map((edge) => {
    const current =
      current_action.value !== undefined &&
      edge.actions.includes(current_action.value) &&
      edge.from === before &&
      edge.to === here;
    const names = [...new Set(edge.actions.map((action) => arrows(view.value.action_label(action))))];
    const told = edge.taken === undefined ? "" : edge.taken === 0 ? "; never taken" : `; taken ${count(edge.taken)} times`;
    return {
      from: edge.from,
      to: edge.to,
      label: cut(edge.label, 24),
      classes: `${current ? "current " : ""}${edge.taken === 0 ? "never" : ""}`,
      title: `${names.slice(0, 6).join(", ")}${names.length > 6 ? `, and ${names.length - 6} more` : ""}${edge.label ? ` [${edge.label}]` : ""}${told}`,
    };
  });
  return (
    <section class={`pane process${entry.locations.length > 10 ? " large" : ""}`} aria-label={entry.name}>
      <h2 class="pane-title">
        <ProcessChip component={component} />{" "}
        <span class="quiet">{here === undefined ? "" : `at ${entry.locations[here]?.name ?? here}, `}</span>
        <span class="quiet">
          {counted(entry.locations.length, "location")}, {counted(edges.length, "transition")}
          {never > 0 && <span class="never-word">, {count(never)} never taken</span>}
        </span>{" "}
        <LineLink line={entry.locations[entry.initial]?.line ?? 0} />
      </h2>
      {too_large ? (
        <p class="quiet scroll-note">Too large to draw; the tab Coverage lists its actions.</p>
      ) : (
        <Drawing name={`Control graph of ${entry.name}`} nodes={nodes} edges={drawn} first={[entry.initial]} focus={here} />
      )}
    </section>
  );
}

export function Processes() {
  const components = view.value.model.components;
  const [chosen, set_chosen] = useState(0);
  if (components.length === 0)
    return (
      <Missing what={report.value.model ? "This model has no processes" : "The model is not in this report"}>
        {report.value.model ? (
          <>
            Control graphs show the locations and transitions of processes.
            {view.value.is_net && " A Petri net has none; the tab Coverage lists its transitions."}
          </>
        ) : (
          <>The model file could not be read when the report was made, so nothing is known about its processes.</>
        )}
      </Missing>
    );
  const some = components.length > shown_at_once;
  const shown = some ? components.map((_, i) => i).slice(chosen, chosen + shown_at_once) : components.map((_, i) => i);
  return (
    <div class="processes-view">
      {replay.value && <Player />}
      <p class="legend">
        {some && (
          <label>
            Processes from{" "}
            <select id="process-choice" value={chosen} onChange={(event) => set_chosen(Number(event.currentTarget.value))}>
              {components.map((component, i) => (
                <option value={i}>{component.name}</option>
              ))}
            </select>
          </label>
        )}{" "}
        <span class="key">Thick border: initial.</span> <span class="key here">◉ now</span>{" "}
        <span class="key current">━ current step</span>
        {report.value.exploration && report.value.exploration.states > 0 && <span class="key never"> ┄ never taken</span>}
      </p>
      <div class={`processes ${shown.length === 1 ? "one" : ""}`}>
        {shown.map((component) => (
          <ControlGraph key={component} component={component} />
        ))}
      </div>
    </div>
  );
}
