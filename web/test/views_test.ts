import assert from "node:assert/strict";
import test from "node:test";
import type { Run } from "../src/data";
import { overall_verdict, parse_report } from "../src/data";
import { control_edges, drawn_edges, edge_label } from "../src/control_graph";
import { coverage_of, never_marked } from "../src/coverage";
import { type Entry, type Listing, explained_listing, explanation_of, plain_listing } from "../src/explained";
import { fold_by, rows_that_vary } from "../src/fold";
import { index_of_step, no_filter, visible_rows, visible_steps } from "../src/filter";
import { rates, shares } from "../src/figures";
import { by_forces, distances, in_layers, smooth_path } from "../src/layout";
import { ModelView, model_of } from "../src/model_view";
import { bytes, count, counted, seconds, short_count } from "../src/numbers";
import { format_place, parse_place } from "../src/route";
import { SequenceChart, arrow_label } from "../src/sequence";
import { shell_text } from "../src/shell";
import { line_counts, tokens_of } from "../src/source";
import { merge_report } from "../src/live";
import { thinned } from "../src/thinned";
import { scroll_for, window_of } from "../src/virtual_list";
import { fixtures, page_with } from "./fixtures";
import { explore, net, philosophers, protocol, run_of } from "./simulate";

test("channels are rows of their own, shown as queues", () => {
  const report = fixtures.protocol!();
  const view = new ModelView(report.model!);
  const data = view.rows.find((row) => row.name === "data")!;
  assert.equal(data.kind, "channel");
  assert.deepEqual(
    [...data.slots].sort((a, b) => a - b),
    [5, 6, 7, 8, 9],
  );
  assert.equal(view.rows.filter((row) => row.name.startsWith("data")).length, 1);
  assert.equal(view.value(data, [0, 0, 0, 0, 0, 2, 1, 3, 1, 0, 0]), "[(1,1),(3,0)]");
  assert.equal(
    view.value(
      data,
      view.model.slots.map(() => 0),
    ),
    "[]",
  );
});

test("rows: globals first, locations by name, arrays in parts", () => {
  const view = new ModelView(philosophers(2).model);
  assert.deepEqual(
    view.rows.map((row) => row.name),
    ["fork", "phil_0", "phil_0.meals", "phil_1", "phil_1.meals"],
  );
  assert.deepEqual(
    view.rows.map((row) => row.short),
    ["fork", "location", "meals", "location", "meals"],
  );
  assert.equal(view.value(view.rows[1]!, [2, 0, 0, 0, 1, 0]), "eat");
  assert.deepEqual(
    view.parts(view.rows[0]!, [0, 0, 0, 0, 1, 0]).map((part) => part.text),
    ["[", "1", ", ", "0", "]"],
  );
});

test("changes by row: a queue changes as a whole, moves in the label are not repeated", () => {
  const system = protocol();
  const view = new ModelView(system.model);
  const run = run_of(system, [0], { title: "", kind: "simulation" });
  const after = run.initial.slice();
  for (let i = 0; i < run.steps[0]!.c.length; i += 2) after[run.steps[0]!.c[i]!] = run.steps[0]!.c[i + 1]!;
  const told = view.row_changes(run.steps[0]!, run.initial, after).map((c) => `${c.name}: ${c.before} -> ${c.after}`);
  assert.deepEqual(told, ["data: [] -> [(0,0)]"]);
  assert.equal(view.row_changes(run.steps[0]!, run.initial, after, true).length, 2);
});

test("a report without a model still names values and actions", () => {
  const report = fixtures.nameless!();
  const view = new ModelView(model_of(report));
  assert.deepEqual(
    view.rows.map((row) => row.name),
    ["value 0", "value 1"],
  );
  assert.equal(view.action_label(3), "action 3");
  assert.deepEqual(view.lines(3, [0, 0]), []);
});

test("filters by process, by name and by what matters", () => {
  const report = fixtures.lasso!();
  const view = new ModelView(report.model!);
  const run = report.runs[0]!;
  const explanation = explanation_of(report, 0)!;
  assert.equal(visible_steps(view, run, no_filter), undefined);
  assert.deepEqual([...visible_steps(view, run, { ...no_filter, component: 2 })!], [1, 2, 5]);
  assert.deepEqual([...visible_steps(view, run, { ...no_filter, text: "phil_2.meals" })!], [5]);
  assert.deepEqual([...visible_steps(view, run, { ...no_filter, text: "PHIL_2: EAT" })!].length > 0, true);
  assert.deepEqual([...visible_steps(view, run, { ...no_filter, text: "nothing" })!], []);
  // An array's name finds the steps that change one of its elements.
  assert.equal(visible_steps(view, run, { ...no_filter, text: "fork" })!.length, 15);
  assert.deepEqual(
    visible_rows(view, { ...no_filter, text: "meals" }).map((row) => row.name),
    ["phil_0.meals", "phil_1.meals", "phil_2.meals", "phil_3.meals"],
  );
  assert.deepEqual(
    visible_rows(view, { ...no_filter, component: 1 }).map((row) => row.name),
    ["fork", "phil_1", "phil_1.meals"],
  );
  assert.deepEqual(
    visible_rows(view, no_filter, explanation).map((row) => row.name),
    ["fork", "phil_0", "phil_0.meals"],
  );
  // Of the cycle, which is short, all steps are shown.
  const from_three = Array.from({ length: 13 }, (_, i) => i + 3).filter((step) => step !== 5);
  assert.deepEqual([...visible_steps(view, run, no_filter, explanation)!], from_three);
  assert.deepEqual([...visible_steps(view, run, { ...no_filter, text: "phil_0.meals" }, explanation)!], [6, 9, 12, 15]);
});

/** The rows of a listing as text, and for each step where it is. */
function told(rows: Listing, length: number): [string[], number[]] {
  const text = ({ ...entry }: Entry) =>
    entry.kind === "step" ? `${entry.begins ? "|" : ""}${entry.step}` : entry.kind === "group" ? `of ${entry.component}` : `(${entry.first}-${entry.last})`;
  return [
    Array.from({ length: rows.count }, (_, row) => text(rows.entry(row))),
    Array.from({ length: length + 1 }, (_, step) => rows.row_of(step)),
  ];
}

test("an explained run: groups by process, and what does not matter folded", () => {
  const steps = Int32Array.from([2, 4, 5, 8]);
  const group = (first: number, last: number, component: number) => ({ first, last, component });
  const groups = [group(1, 2, 1), group(3, 3, 0), group(4, 6, 0), group(7, 8, -1), group(9, 10, 1)];
  const explanation = { text: "", steps: new Set(steps), shown: new Set(steps), slots: new Set<number>(), groups, length_before: 10 };
  const run = (length: number, loop?: number): Run => ({
    title: "",
    kind: "lasso",
    initial: [],
    steps: Array.from({ length }, () => ({ a: 0, c: [] })),
    ...(loop === undefined ? {} : { loop }),
  });
  assert.deepEqual(told(explained_listing(explanation, run(10), steps), 10), [
    ["(1-1)", "|2", "(3-3)", "of 0", "4", "5", "(6-7)", "|8", "(9-10)"],
    [-1, 0, 1, 2, 4, 5, 6, 6, 7, 8, 8],
  ]);
  // A cycle begins with a row of its own.
  assert.deepEqual(told(explained_listing(explanation, run(10, 6), steps), 0)[0].slice(5), ["5", "(6-6)", "(7-7)", "|8", "(9-10)"]);
  // Nothing matters, and a failing step after the last one is no row.
  const failing = { ...explanation, groups: [group(1, 3, 0)] };
  assert.deepEqual(told(explained_listing(failing, run(2), Int32Array.from([])), 2), [["(1-2)"], [-1, 0, 0]]);
  assert.deepEqual(told(explained_listing(failing, run(2), Int32Array.from([1, 2])), 2), [["of 0", "1", "2"], [-1, 1, 2]]);
  assert.deepEqual(told(plain_listing(2, undefined), 2), [["1", "2"], [-1, 0, 1]]);
  assert.deepEqual(told(plain_listing(9, steps), 4), [["2", "4", "5", "8"], [-1, -1, 0, 0, 1]]);
});

test("explanations belong to runs, and not to runs that have become others", () => {
  const report = fixtures.lasso!();
  assert.equal(explanation_of(report, 0)?.length_before, 21);
  assert.deepEqual([...explanation_of(report, 0)!.slots].map((slot) => report.model!.slots[slot]!.name), ["phil_0", "phil_0.meals", "fork[0]"]);
  assert.deepEqual(explanation_of(report, 0)!.groups[1], { first: 3, last: 4, component: 0 });
  assert.equal(explanation_of(report, 1), undefined);
  const [property] = report.answer.properties;
  Object.assign(property!, {
    traces: [{ length: 4, run: 1 }],
    explanations: [{ ...property!.explanation!, order: [1, 2, 3, 4], length_before: 5 }],
  });
  assert.equal(explanation_of(report, 1)?.length_before, 5);
  report.runs[0]!.steps.pop();
  assert.equal(explanation_of(report, 0), undefined);
});

test("the place of a step in a list of steps", () => {
  const steps = [2, 5, 9];
  assert.deepEqual(
    [0, 2, 4, 5, 8, 9, 100].map((k) => index_of_step(steps, k)),
    [-1, 0, 0, 1, 1, 2, 2],
  );
  assert.equal(index_of_step([], 3), -1);
});

test("a receive takes the oldest message", () => {
  const report = fixtures.protocol!();
  const view = new ModelView(report.model!);
  const chart = new SequenceChart(view, report.runs[0]!);
  const told = chart.arrows.map((a) => `${arrow_label(view, a)} ${a.send_step}:${a.sender} > ${a.receive_step}:${a.receiver}`);
  assert.deepEqual(told, [
    "data: 0, 0 1:0 > 4:1",
    "data: 0, 0 3:0 > 7:2",
    "ack: 1 5:1 > 5:0",
    "data: 1, 1 6:0 > 8:1",
    "data: 1, 1 10:0 > 0:-1",
    "ack: 2 11:1 > 11:0",
  ]);
  assert.equal(chart.marks(1).kind, "send");
  assert.equal(chart.marks(5).kind, "rendezvous");
  assert.equal(chart.marks(2).kind, "single");
  assert.deepEqual(
    chart.arrows_in(5, 5).map((a) => a.send_step),
    [3, 5],
  );
  assert.deepEqual(
    chart.arrows_in(9, 9).map((a) => a.send_step),
    [],
  );
  assert.deepEqual(
    chart.arrows_in(11, 11).map((a) => a.send_step),
    [10, 11],
  );
});

test("messages that were in a channel from the start, and actions of several processes", () => {
  const system = protocol();
  const view = new ModelView(system.model);
  const initial = system.initial.slice();
  [initial[5], initial[6]] = [1, 3];
  const run = run_of({ ...system, initial }, [2, 5, 0, 2 - 2 + 1], { title: "", kind: "simulation" });
  const chart = new SequenceChart(view, run);
  assert.deepEqual(
    chart.arrows.map((a) => [a.send_step, a.receive_step]),
    [
      [0, 1],
      [3, 0],
    ],
  );
  assert.deepEqual(chart.marks(2), { lanes: [1, 2, 3], kind: "together" });
});

test("the deadlock that repeats is a step of nobody", () => {
  const report = fixtures.deadlock_loop!();
  const chart = new SequenceChart(new ModelView(report.model!), report.runs[0]!);
  assert.deepEqual(chart.marks(4), { lanes: [], kind: "repeat" });
});

test("lines of the source: what moved, how often, which tokens", () => {
  const report = fixtures.protocol!();
  const view = new ModelView(report.model!);
  const { initial } = report.runs[0]!;
  assert.deepEqual(view.lines(3, initial), [9, 18]);
  assert.deepEqual(view.lines(-1, initial), []);
  const counts = line_counts(report.model!, report.exploration);
  const taken = report.exploration!.actions;
  assert.equal(counts.get(8), taken[0]);
  assert.equal(counts.get(18), taken[3]! + taken[5]!);
  assert.equal(counts.has(1), false);
  assert.equal(line_counts(report.model!, undefined).size, 0);
  const source = "a /* b\nc */ d // e\nint 12";
  const tokens = tokens_of(source, "dve");
  assert.equal(tokens.map((line) => line.map((t) => t.text).join("")).join("\n"), source);
  assert.deepEqual(
    tokens[1]!.map((t) => [t.text, t.kind]),
    [
      ["c */", "comment"],
      [" ", ""],
      ["d", ""],
      [" ", ""],
      ["// e", "comment"],
    ],
  );
  assert.deepEqual(
    tokens[2]!.map((t) => t.kind),
    ["keyword", "", "number"],
  );
  assert.equal(
    tokens_of("<a b='http://x'>", "pnml")[0]!.every((t) => t.kind === ""),
    true,
  );
});

test("a move that is possible in several locations has a line and a count for each", () => {
  const { model, initial } = philosophers(2);
  // phil_0 may take its first action from both of its first locations, on lines of their own.
  const { edges } = model.components[0]!;
  edges.splice(0, edges.length, { from: 0, to: 1, action: 0, line: 4 }, { from: 1, to: 2, action: 0, line: 5 });
  model.actions[0]!.participants[0]!.line = 0;
  const view = new ModelView(model);
  const there = initial.slice();
  there[view.location_slot[0]!] = 1;
  assert.deepEqual(view.lines(0, initial), [4]);
  assert.deepEqual(view.lines(0, there), [5]);
  const { exploration } = explore(philosophers(2));
  const counted = { ...exploration, actions: exploration.actions.map(() => 7), edges: [[3, 4], []] };
  const counts = line_counts({ ...model, actions: model.actions.slice(0, 1) }, counted);
  assert.deepEqual([...counts], [[4, 3], [5, 4]]);
  assert.deepEqual(
    control_edges(model, 0, counted).map((edge) => edge.taken),
    [3, 4],
  );
});

test("coverage by process, never taken first; places never marked", () => {
  const phils = philosophers(2);
  const { exploration } = explore(phils);
  const groups = coverage_of(phils.model, exploration);
  assert.deepEqual(
    groups.map((group) => [group.component, group.actions.length, group.never]),
    [
      [0, 4, 1],
      [1, 4, 1],
    ],
  );
  assert.equal(groups[0]!.actions[0]!.action, 3);
  assert.equal(groups[0]!.actions[0]!.proven, true);
  const partly = { ...exploration, never_enabled_is_proven: false, never_enabled: [3] };
  assert.deepEqual(
    coverage_of(phils.model, partly).map((group) => group.actions[0]!.proven),
    [true, false],
  );
  const machines = net(3);
  assert.deepEqual(
    never_marked(machines.model, explore(machines).exploration).map((slot) => machines.model.slots[slot]!.name),
    ["broken"],
  );
  assert.deepEqual(
    coverage_of(machines.model, explore(machines).exploration).map((group) => group.component),
    [-1],
  );
});

test("edges of a control graph: one for all partners, with a short label", () => {
  const { model } = protocol();
  assert.deepEqual(
    control_edges(model, 0, undefined).map((edge) => [edge.label, edge.taken]),
    [
      ["data!", undefined],
      ["", undefined],
      ["ack?", undefined],
    ],
  );
  assert.equal(edge_label(model, 1, 3), "ack!");
  assert.equal(edge_label(model, 3, 5), "tick");
  assert.equal(edge_label(philosophers(2).model, 0, 0), "fork[0] == 0");
  const twice = { ...model, components: model.components.map((c) => ({ ...c, edges: [...c.edges, ...c.edges] })) };
  assert.equal(control_edges(twice, 0, undefined).length, 3);
  const edge = (label: string, taken: number) => ({ from: 0, to: 1, line: 0, actions: [0], taken, label });
  assert.deepEqual(
    drawn_edges([edge("a", 0), edge("b", 5), edge("c", 2)]).map((e) => [e.label, e.taken, e.actions.length]),
    [["b +2", 7, 3]],
  );
  assert.equal(drawn_edges([edge("a", 0), edge("b", 5)]).length, 2);
});

test("a graph folded by a set of variables", () => {
  const system = philosophers(3);
  const { graph } = explore(system);
  const view = new ModelView(system.model);
  const varying = rows_that_vary(view, graph!);
  assert.ok(varying.length > 3);
  for (const rows of [varying, varying.slice(0, 2), varying.slice(1, 2), []]) {
    const fold = fold_by(view, graph!, rows);
    const key = (state: number[]) => rows.map((row) => view.value(row, state)).join(", ");
    assert.deepEqual(new Set(fold.classes.map((c) => c.text)), new Set(graph!.states.map(key)));
    for (const [i, c] of fold.classes.entries()) {
      const members = graph!.states.filter((state) => key(state) === c.text);
      assert.equal(c.states, members.length);
      assert.ok(members.every((state) => fold.class_of(state) === i));
    }
    const total = fold.edges.reduce((sum, edge) => sum + edge[2], 0);
    assert.equal(total, graph!.edges.length);
    for (const [from, to, n] of fold.edges) {
      const same = graph!.edges.filter(
        ([a, , b]) => fold.class_of(graph!.states[a]!) === from && fold.class_of(graph!.states[b]!) === to,
      );
      assert.equal(n, same.length);
    }
  }
  assert.equal(fold_by(view, graph!, varying.slice(0, 1)).class_of(system.initial.map(() => 99)), -1);
});

test("layouts place every node and edge", () => {
  const nodes = Array.from({ length: 12 }, () => ({ width: 30, height: 30 }));
  const edges = [
    ...nodes.map((_, i) => ({ from: i, to: (i + 1) % 12, label: "x" })),
    { from: 3, to: 3, label: "loop" },
    { from: 0, to: 1, label: "again" },
  ];
  for (const layout of [in_layers(nodes, edges), by_forces(nodes, edges, [0], 20)]) {
    assert.equal(layout.nodes.length, 12);
    assert.equal(layout.edges.length, 14);
    for (const [x, y] of layout.nodes) assert.ok(x >= 0 && y >= 0 && x <= layout.width && y <= layout.height);
    for (const edge of layout.edges) assert.ok(edge.points.length >= 2 && smooth_path(edge.points).startsWith("M"));
  }
  assert.deepEqual(
    distances(
      4,
      [
        { from: 0, to: 1, label: "" },
        { from: 1, to: 2, label: "" },
      ],
      [0],
    ),
    [0, 1, 2, 3],
  );
});

test("figures: rates and shares", () => {
  const point = (t: number, states: number) => ({ t, states, memory_bytes: 0, frontier: 0, phase: "", engine: "" });
  assert.deepEqual(rates([point(0, 0), point(1, 100), point(2, 300)]), [null, 100, 200]);
  assert.deepEqual(rates([point(0, 0), point(0, 5)]), [null, null]);
  assert.deepEqual(rates([]), []);
  const system = philosophers(2);
  const { exploration } = explore(system);
  const { processes, variables } = shares(new ModelView(system.model), exploration);
  assert.equal(processes.length, 2);
  assert.ok(variables[0]!.entropy >= variables[1]!.entropy);
  exploration.slots.forEach((slot) => (slot.distinct = 0)); // not counted
  assert.equal(shares(new ModelView(system.model), exploration).variables.length, 0);
});

test("the window of a long list", () => {
  const window = window_of(100_000, 30, 30 * 5000, 600);
  assert.ok(window.first <= 5000 && window.last >= 5020 && window.last - window.first < 60);
  assert.equal(window.height, 3_000_000);
  assert.deepEqual(window_of(0, 30, 0, 600), { first: 0, last: 0, top: 0, height: 0 });
  // Longer than browsers can scroll: the end of the scroll is still the end of the list.
  const huge = window_of(10_000_000, 30, 15_000_000 - 600, 600);
  assert.equal(huge.last, 10_000_000);
  assert.ok(huge.height <= 15_000_000);
  for (const row of [0, 17, 5_000_000, 9_999_999]) {
    const scroll = scroll_for(10_000_000, 30, row, 0, 600);
    const seen = window_of(10_000_000, 30, scroll, 600, 0);
    assert.ok(seen.first <= row && row < seen.last, `row ${row}`);
  }
  assert.equal(scroll_for(100, 30, 5, 60, 600), 60, "a row in sight does not scroll");
});

test("places in the address", () => {
  for (const place of [
    { tab: "run", run: 1, step: 12 },
    { tab: "verdicts" },
    { tab: "source", line: 7 },
    { tab: "run", second: 1, whole: 1 },
  ] as const)
    assert.deepEqual(parse_place(format_place(place)), place);
  assert.deepEqual(parse_place("#nonsense?run=-1&step=x"), { tab: "verdicts" });
  assert.deepEqual(parse_place(""), { tab: "verdicts" });
});

test("numbers in words", () => {
  assert.equal(count(1234567), "1,234,567");
  assert.equal(count("123456789012345678901"), "123,456,789,012,345,678,901");
  assert.equal(counted(1, "step"), "1 step");
  assert.equal(bytes(7806976), "7.4 MiB");
  assert.deepEqual([0.0001, 0.012, 3.21, 75, 7300].map(seconds), ["under 1 ms", "12 ms", "3.2 s", "1 min 15 s", "2 h 1 min"]);
  assert.deepEqual([999, 12345, 1234567, 5.5e9].map(short_count), ["999", "12.3 k", "1.23 M", "5.5 G"]);
  assert.deepEqual(thinned(3, 60), [0, 1, 2]);
  assert.deepEqual(thinned(1000, 5), [0, 250, 500, 749, 999]);
});

test("reading the data", () => {
  assert.throws(() => parse_report("{"), /cannot be read/);
  assert.throws(() => parse_report("@TIDELINE_DATA@"), /cannot be read/);
  assert.throws(() => parse_report("[]"), /not a Tideline report/);
  assert.throws(() => parse_report('{"format":"tideline-report","version":2}'), /version 2/);
  const evil = fixtures.bare!();
  evil.notes.push("</script><script>alert(1)</script> $& $1");
  const page = page_with("<script>@TIDELINE_DATA@</script>", evil);
  assert.equal(page.split("</script>").length, 2);
  assert.deepEqual(parse_report(page.slice(8, -9)), evil);
  assert.equal(overall_verdict([]), "none");
  assert.equal(overall_verdict(fixtures.lasso!().answer.properties), "violated");
  assert.equal(overall_verdict(fixtures.long!().answer.properties), "unknown");
});

test("new data of a live run keeps what has not changed", () => {
  const [old, fresh] = [fixtures.live!(), fixtures.live!()];
  fresh.live!.time_s = 99;
  const merged = merge_report(old, fresh);
  assert.equal(merged.model, old.model);
  assert.equal(merged.live!.time_s, 99);
  fresh.model = { ...fresh.model!, name: "other" };
  assert.equal(merge_report(old, fresh).model, fresh.model);
});

test("a command is shown as it can be typed", () => {
  assert.equal(shell_text(["tideline", "check", "a.dve", "--invariant", "x == 'a'"]), "tideline check a.dve --invariant 'x == '\\''a'\\'''");
  assert.equal(shell_text(["--ltl", ""]), "--ltl ''");
});
