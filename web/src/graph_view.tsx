// The state graph: all states where there are few, with the run highlighted; else the graph folded by variables.

import { useMemo, useState } from "preact/hooks";
import type { FoldedGraph, StateGraph } from "./data";
import { Drawing, box_width, cut } from "./drawing";
import { type Fold, fold_by, fold_of, rows_that_vary } from "./fold";
import { count, counted, short_count } from "./numbers";
import { ActionText, Missing, arrows } from "./pieces";
import { Player } from "./player";
import type { Replay } from "./replay";
import { go_to, position, replay, report, view } from "./store";

interface GraphIndex {
  of_state: Map<string, number>;
  pairs: { from: number; to: number; actions: number[] }[]; // edges between the same states together
}

const longest_run = 20_000; // that is highlighted

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
  if (!run || run.length > longest_run) return [];
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

const most_classes = 200;
const most_labels = 80; // of edges; more would cover each other

function FoldDrawing({ fold }: { fold: Fold }) {
  const run = replay.value;
  if (fold.classes.length > most_classes)
    return (
      <p class="missing">
        {count(fold.classes.length)} combinations of values are too many to draw; choose fewer variables, or others.
      </p>
    );
  const visited = run ? classes_of_run(fold, run) : [];
  const here = run ? fold.class_of(run.state(position.value)) : -1;
  const on_run = new Set(visited);
  const run_edges = new Set(visited.slice(1).map((to, i) => `${visited[i]},${to}`));
  const largest = Math.max(...fold.classes.map((c) => c.states), 1);
  const nodes = fold.classes.map((c, i) => {
    const label = `${cut(c.text, 22)} · ${short_count(c.states)}`;
    const share = c.states / largest;
    return {
      label,
      width: box_width(label),
      height: 30,
      classes: `${i === here ? "here " : ""}${on_run.has(i) ? "on-run " : ""}size-${share > 0.6 ? 3 : share > 0.2 ? 2 : 1}`,
      title: `${fold.by} = ${c.text}: ${counted(c.states, "state")}${on_run.has(i) ? ", on the run" : ""}`,
    };
  });
  const crossing = fold.edges.filter(([from, to]) => from !== to);
  const edges = crossing.map(([from, to, n]) => ({
    from,
    to,
    label: crossing.length <= most_labels ? short_count(n) : "",
    classes: run_edges.has(`${from},${to}`) ? "on-run" : "",
    title: `${fold.classes[from]?.text} to ${fold.classes[to]?.text}: ${counted(n, "transition")}`,
  }));
  return (
    <Drawing
      key={fold.by}
      name={`State graph folded by ${fold.by}`}
      nodes={nodes}
      edges={edges}
      first={[Math.max(0, visited[0] ?? 0)]}
      focus={here >= 0 ? here : undefined}
      tall
    />
  );
}

/** The classes that a run visits, in order, each once in a row. */
function classes_of_run(fold: Fold, run: Replay): number[] {
  if (run.length > longest_run) return [fold.class_of(run.state(0))];
  const result: number[] = [];
  let state = run.state(0);
  for (let p = 0; p <= run.length; p++) {
    if (p > 0) state = run.state_after(state, p);
    const at = fold.class_of(state);
    if (at !== result[result.length - 1]) result.push(at);
  }
  return result;
}

function FoldLegend({ fold, states }: { fold: Fold; states: number }) {
  const inside = fold.edges.filter(([from, to]) => from === to).reduce((sum, edge) => sum + edge[2], 0);
  return (
    <p class="legend">
      Of {counted(states, "state")}, all with the same {fold.by.includes(",") ? "values" : "value"} of <b>{fold.by || "nothing"}</b>{" "}
      are one node, with how many they are; numbers at edges count transitions. {counted(inside, "transition")} inside of nodes
      are not drawn.
      {replay.value && (
        <>
          {" "}
          <span class="key on-run">● on the run</span> <span class="key here">◉ now</span>
        </>
      )}
    </p>
  );
}

/** A graph that is in the page: folded by any variables. */
function FoldByChoice({ graph }: { graph: StateGraph }) {
  const model = view.value;
  const rows = useMemo(() => rows_that_vary(model, graph), [model, graph]);
  // First by the variable with the most values that can still be read.
  const [chosen, set_chosen] = useState<number[]>(() => {
    const folds = rows.slice(0, 100).map((row) => {
      const { classes, edges } = fold_by(model, graph, [row]);
      return { row, size: classes.length, crowded: Number(classes.length > 40 || edges.length > most_labels) };
    });
    const [best] = folds.sort((a, b) => a.crowded - b.crowded || b.size - a.size);
    return best ? [best.row.index] : [];
  });
  const fold = useMemo(
    () =>
      fold_by(
        model,
        graph,
        rows.filter((row) => chosen.includes(row.index)),
      ),
    [model, graph, chosen],
  );
  return (
    <>
      <fieldset class="fold-by">
        <legend>Fold by</legend>
        {rows.map((row) => (
          <label key={row.index} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(row.index)}
              onChange={(event) =>
                set_chosen(event.currentTarget.checked ? [...chosen, row.index] : chosen.filter((index) => index !== row.index))
              }
            />{" "}
            {row.name}
          </label>
        ))}
      </fieldset>
      <FoldLegend fold={fold} states={graph.states.length} />
      <FoldDrawing fold={fold} />
    </>
  );
}

/** A graph that is too large for the page: folded as the program did, by one variable. */
function FoldedGraphs({ folded, states }: { folded: FoldedGraph[]; states: number }) {
  // The most detailed graph that can still be read.
  const [which, set_which] = useState(() =>
    folded.reduce(
      (best, g, i) => (g.classes.length <= 40 && g.classes.length > (folded[best]?.classes.length ?? 0) ? i : best),
      0,
    ),
  );
  const model = view.value;
  const graph = folded[which] ?? folded[0];
  const fold = useMemo(() => graph && fold_of(model, graph), [model, graph]);
  if (!fold) return null;
  return (
    <>
      <p class="legend">
        <label>
          Fold by{" "}
          <select id="fold-by" value={which} onChange={(event) => set_which(Number(event.currentTarget.value))}>
            {folded.map((entry, i) => (
              <option value={i}>{fold_of(model, entry).by}</option>
            ))}
          </select>
        </label>{" "}
        The graph is too large to be in this page, and was folded by single variables when it was counted.
      </p>
      <FoldLegend fold={fold} states={states} />
      <FoldDrawing fold={fold} />
    </>
  );
}

const most_states = 500;
const most_transitions = 5000;

export function GraphView() {
  const { graph, exploration } = report.value;
  const folded = exploration?.folded ?? [];
  const [whole, set_whole] = useState(true);
  if (!graph && folded.length === 0)
    return (
      <Missing what="There is no state graph in this report">
        Graphs of up to {most_states} states are drawn, larger ones folded by variables. Nothing was counted here, or the model's
        states were not all visited. <code>tideline explore MODEL --dot FILE</code> writes the graph for other programs.
      </Missing>
    );
  const small = graph !== undefined && graph.states.length <= most_states && graph.edges.length <= most_transitions;
  return (
    <div class="graph-view">
      {replay.value && <Player />}
      {small && (
        <div class="choice" role="group" aria-label="What to draw">
          <button type="button" aria-pressed={whole} onClick={() => set_whole(true)}>
            All states
          </button>
          <button type="button" aria-pressed={!whole} onClick={() => set_whole(false)}>
            Folded by variables
          </button>
        </div>
      )}
      {small && whole ? (
        <WholeGraph graph={graph} />
      ) : graph ? (
        <FoldByChoice graph={graph} />
      ) : (
        <FoldedGraphs folded={folded} states={exploration?.states ?? 0} />
      )}
    </div>
  );
}
