// The state graph: all states where there are few, with the run highlighted; else the graph folded by a variable.

import { useState } from "preact/hooks";
import type { FoldedGraph, StateGraph } from "./data";
import { Drawing, box_width, cut } from "./drawing";
import { count, counted, short_count } from "./numbers";
import { ActionText, Missing, arrows } from "./pieces";
import { Player } from "./player";
import { go_to, position, replay, report, view } from "./store";

interface GraphIndex {
  of_state: Map<string, number>;
  pairs: { from: number; to: number; actions: number[] }[]; // edges between the same states together
}

const indices = new WeakMap<StateGraph, GraphIndex>();

function index_of(graph: StateGraph): GraphIndex {
  let index = indices.get(graph);
  if (!index) {
    const pairs = new Map<string, GraphIndex["pairs"][number]>();
    for (const [from, action, to] of graph.edges) {
      const pair = pairs.get(`${from},${to}`);
      if (pair) pair.actions.push(action);
      else pairs.set(`${from},${to}`, { from, to, actions: [action] });
    }
    index = { of_state: new Map(graph.states.map((state, i) => [state.join(), i])), pairs: [...pairs.values()] };
    indices.set(graph, index);
  }
  return index;
}

/** The states of the graph that the run visits, in order; -1 for one that is not in the graph. */
function run_states(graph: StateGraph): number[] {
  const run = replay.value;
  if (!run || run.length > 20000) return [];
  const { of_state } = index_of(graph);
  const result: number[] = [];
  let state = run.state(0);
  for (let p = 0; p <= run.length; p++) {
    if (p > 0) state = run.state_after(state, p);
    result.push(of_state.get(state.join()) ?? -1);
  }
  return result;
}

function StateDetails({
  graph,
  chosen,
  visited,
  choose,
}: {
  graph: StateGraph;
  chosen: number;
  visited: number[];
  choose: (state: number) => void;
}) {
  const model = view.value;
  const state = graph.states[chosen];
  if (!state) return null;
  const at = visited.indexOf(chosen);
  return (
    <section class="pane state-details" aria-label={`State ${chosen}`}>
      <h2 class="pane-title">
        State {chosen}
        {graph.initial.includes(chosen) && <span class="quiet"> initial</span>}
      </h2>
      <div class="scroll">
        {at >= 0 && (
          <p class="details-line">
            On the run, {at === 0 ? "its first state" : `after step ${count(at)}`}.{" "}
            <button type="button" class="text" onClick={() => go_to(at)}>
              go there
            </button>
          </p>
        )}
        <table class="variables">
          <tbody>
            {model.rows
              .filter((row) => row.kind !== "place" || state[row.slots[0] ?? 0] !== 0)
              .map((row) => (
                <tr key={row.index}>
                  <th scope="row">{row.name}</th>
                  <td class="value">{model.value(row, state)}</td>
                </tr>
              ))}
          </tbody>
        </table>
        <h3>Steps from here</h3>
        <ul class="moves">
          {graph.edges
            .filter(([from]) => from === chosen)
            .map(([, action, to]) => (
              <li key={`${action},${to}`}>
                <button type="button" class="text" onClick={() => choose(to)}>
                  → {to}
                </button>{" "}
                <ActionText action={action} />
              </li>
            ))}
          {!graph.edges.some(([from]) => from === chosen) && <li class="quiet">none: a deadlock</li>}
        </ul>
      </div>
    </section>
  );
}

function WholeGraph({ graph }: { graph: StateGraph }) {
  const visited = run_states(graph);
  const here = visited[Math.min(position.value, visited.length - 1)] ?? -1;
  const [clicked, set_clicked] = useState(-1);
  const chosen = clicked >= 0 ? clicked : here >= 0 ? here : (graph.initial[0] ?? 0);
  const on_run = new Set(visited);
  const run_edges = new Set<string>();
  visited.slice(1).forEach((to, i) => run_edges.add(`${visited[i]},${to}`));
  const { pairs } = index_of(graph);
  const large = graph.states.length > 120;
  const deadlocks = new Set(graph.states.keys());
  for (const [from] of graph.edges) deadlocks.delete(from);
  const labels = graph.states.length + pairs.length <= 60;
  const model = view.value;
  const nodes = graph.states.map((state, i) => {
    const words = [
      graph.initial.includes(i) ? "initial" : "",
      on_run.has(i) ? "on-run" : "",
      i === here ? "here" : "",
      i === chosen ? "chosen" : "",
      deadlocks.has(i) ? "deadlock" : "",
    ];
    const told = model.rows.slice(0, 12).map((row) => `${row.name} = ${model.value(row, state)}`);
    const size = large ? 18 : 30;
    return {
      label: large ? "" : String(i),
      width: size,
      height: size,
      round: true,
      classes: words.join(" "),
      title: `State ${i}${deadlocks.has(i) ? ", a deadlock" : ""}: ${told.join(", ")}`,
    };
  });
  const edges = pairs.map(({ from, to, actions }) => {
    const names = actions.map((action) => arrows(model.action_label(action)));
    return {
      from,
      to,
      label: labels ? cut(names.join(", "), 26) : "",
      classes: run_edges.has(`${from},${to}`) ? "on-run" : "",
      title: `${from} to ${to}: ${names.join(", ")}`,
    };
  });
  return (
    <>
      <p class="legend">
        All {counted(graph.states.length, "state")} and {counted(graph.edges.length, "transition")}. Choose a state to see its
        values. <span class="key">Thick border: initial.</span> <span class="key on-run">● on the run</span>{" "}
        <span class="key here">◉ now</span>
        {deadlocks.size > 0 && <span class="key deadlock"> ◌ deadlock (dashed)</span>}
      </p>
      <div class="graph-panes">
        <Drawing
          name={`State graph of ${graph.states.length} states`}
          nodes={nodes}
          edges={edges}
          first={graph.initial}
          focus={here >= 0 ? here : undefined}
          tall
          on_node={(node) => set_clicked(node)}
        />
        <StateDetails graph={graph} chosen={chosen} visited={visited} choose={set_clicked} />
      </div>
    </>
  );
}

function FoldedGraphs({ folded, states }: { folded: FoldedGraph[]; states: number }) {
  // The most detailed graph that can still be read.
  const [which, set_which] = useState(() =>
    folded.reduce(
      (best, g, i) => (g.classes.length <= 40 && g.classes.length > (folded[best]?.classes.length ?? 0) ? i : best),
      0,
    ),
  );
  const graph = folded[which] ?? folded[0];
  if (!graph) return null;
  const model = view.value;
  const names = graph.by.map((slot) => model.model.slots[slot]?.name ?? `value ${slot}`);
  const run = replay.value;
  const now = run ? run.state(position.value) : undefined;
  const class_of = (state: ArrayLike<number>) =>
    graph.classes.findIndex((c) => c.values.every((value, i) => state[graph.by[i] ?? 0] === value));
  const here = now ? class_of(now) : -1;
  const texts = graph.classes.map((c) => c.values.map((value, i) => model.slot_value(graph.by[i] ?? 0, value)).join(", "));
  const largest = Math.max(...graph.classes.map((c) => c.states), 1);
  const nodes = graph.classes.map((c, i) => {
    const label = `${cut(texts[i] ?? "", 22)} · ${short_count(c.states)}`;
    const share = c.states / largest;
    return {
      label,
      width: box_width(label),
      height: 30,
      classes: `${i === here ? "here " : ""}size-${share > 0.6 ? 3 : share > 0.2 ? 2 : 1}`,
      title: `${names.join(", ")} = ${texts[i]}: ${counted(c.states, "state")}`,
    };
  });
  const crossing = graph.edges.filter(([from, to]) => from !== to);
  const inside = graph.edges.filter(([from, to]) => from === to).reduce((sum, edge) => sum + edge[2], 0);
  const edges = crossing.map(([from, to, n]) => ({
    from,
    to,
    label: short_count(n),
    classes: "",
    title: `${texts[from]} to ${texts[to]}: ${counted(n, "transition")}`,
  }));
  const start = run ? class_of(run.state(0)) : 0;
  return (
    <>
      <p class="legend">
        Of {counted(states, "state")}, all with the same value of{" "}
        <select
          aria-label="Fold by"
          id="fold-by"
          value={which}
          onChange={(event) => set_which(Number(event.currentTarget.value))}
        >
          {folded.map((entry, i) => (
            <option value={i}>{entry.by.map((slot) => model.model.slots[slot]?.name ?? slot).join(", ")}</option>
          ))}
        </select>{" "}
        are one node, with how many they are; numbers at edges count transitions. {counted(inside, "transition")} keep the value
        and are not drawn.
        {here >= 0 && (
          <>
            {" "}
            <span class="key here">◉ now</span>
          </>
        )}
      </p>
      <Drawing
        key={which}
        name={`State graph folded by ${names.join(", ")}`}
        nodes={nodes}
        edges={edges}
        first={[Math.max(0, start)]}
        focus={here >= 0 ? here : undefined}
        tall
      />
    </>
  );
}

export function GraphView() {
  const { graph, exploration } = report.value;
  const folded = exploration?.folded ?? [];
  const [whole, set_whole] = useState(true);
  if (!graph && folded.length === 0)
    return (
      <Missing what="There is no state graph in this report">
        Graphs of up to 500 states are drawn, larger ones folded by a variable. Nothing was counted here, or the model's states
        were not all visited. <code>tideline explore MODEL --dot FILE</code> writes the graph for other programs.
      </Missing>
    );
  const show_whole = graph !== undefined && (whole || folded.length === 0);
  return (
    <div class="graph-view">
      {replay.value && <Player />}
      {graph && folded.length > 0 && (
        <div class="choice" role="group" aria-label="What to draw">
          <button type="button" aria-pressed={show_whole} onClick={() => set_whole(true)}>
            All states
          </button>
          <button type="button" aria-pressed={!show_whole} onClick={() => set_whole(false)}>
            Folded by a variable
          </button>
        </div>
      )}
      {show_whole && graph ? (
        <WholeGraph graph={graph} />
      ) : (
        <FoldedGraphs folded={folded} states={exploration?.states ?? graph?.states.length ?? 0} />
      )}
    </div>
  );
}
