// Reports for the tests, one for each situation that the page must handle. They follow the data contract.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Property, ReportData, Run } from "../src/data";
import { type Simulated, explore, net, philosophers, protocol, random_actions, run_of } from "./simulate";

function property(name: string, rest: Partial<Property>): Property {
  return { name, kind: "invariant", formula: "", verdict: "holds", reason: "", trace: null, ...rest };
}

function report_of(
  system: Simulated | undefined,
  runs: Run[],
  properties: Property[],
  rest: Partial<ReportData> = {},
): ReportData {
  const name = system?.model.name ?? "gone.dve";
  return {
    format: "tideline-report",
    version: 1,
    created: "2026-01-02T03:04:05Z",
    command: ["tideline", "check", `models/${name}`, "--all", "--report", "report.html"],
    answer: {
      tool: "tideline",
      version: "0.1.0",
      command: "check",
      model: `models/${name}`,
      engine: "bfs",
      complete: true,
      properties,
      statistics: { states: 1234, transitions: 5678, levels: 12, time_s: 0.0123, peak_rss_bytes: 7806976, threads: 1 },
      never_enabled: [],
      warnings: [],
      exit_code: 1,
    },
    notes: [
      "The engine was bfs: breadth-first search, complete, and its runs are shortest.",
      "All 1,234 states were visited in 12 ms.",
    ],
    ...(system ? { model: system.model } : {}),
    runs,
    ...rest,
  };
}

export const fixtures: Record<string, () => ReportData> = {
  lasso: () => {
    const system = philosophers(4);
    // phil_2 and phil_0 eat once; then phil_0 alone eats for ever, three meals a round.
    const lasso = run_of(system, [8, 9, 0, 1, 10, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2], {
      title: "fed",
      property: 0,
      kind: "lasso",
      loop: 6,
    });
    const deadlock = run_of(system, [0, 4, 8, 12], { title: "no_deadlock", property: 1, kind: "counterexample" });
    return report_of(
      system,
      [lasso, deadlock],
      [
        property("fed", {
          kind: "ltl",
          formula: "G F phil_1.eat",
          verdict: "violated",
          trace: { length: 15, loop: 6, run: 0 },
          explanation: {
            text: "Only phil_0 moves in the cycle, `phil_1.eat` is false since step 3 of phil_0.",
            steps: [3, 4, 6, 7, 8],
            variables: ["fork[0]", "phil_0", "phil_0.meals"],
            groups: [
              { first: 1, last: 2, process: "phil_2" },
              { first: 3, last: 4, process: "phil_0" },
              { first: 5, last: 5, process: "phil_2" },
              { first: 6, last: 6, process: "phil_0" },
              { first: 7, last: 15, process: "phil_0" },
            ],
            length_before: 21,
            order: Array.from({ length: 15 }, (_, i) => i + 1),
          },
        }),
        property("no_deadlock", {
          kind: "deadlock",
          verdict: "violated",
          trace: { length: 4, run: 1 },
          expected: "holds",
          as_expected: false,
        }),
        property("in_time", { formula: "phil_0->meals < 3" }),
        property("rest", {
          kind: "ctl",
          formula: "AG EF phil_0.think",
          verdict: "unknown",
          reason: "the time limit of 10 s was reached",
        }),
      ],
      explore(system),
    );
  },
  protocol: () => {
    const system = protocol();
    const run = run_of(system, [0, 1, 0, 2, 3, 0, 4, 2, 1, 0, 3], { title: "in_order", property: 0, kind: "counterexample" });
    const other = run_of(system, [0, 1, 0, 4, 2, 3, 0, 2, 3, 0, 2, 3, 0, 2, 5], { title: "late", kind: "simulation" });
    const violated = property("in_order", {
      formula: "Receiver.answer imply Receiver->got != 2",
      verdict: "violated",
      trace: { length: 11, run: 0 },
    });
    const report = report_of(system, [run, other], [violated], explore(system));
    report.answer.warnings.push("Loss: idle -> idle: the variables got and bit are written but never read.");
    return report;
  },
  net: () => {
    const system = net();
    const run = run_of(system, random_actions(system, 40, 7), { title: "full", property: 0, kind: "witness" });
    return report_of(
      system,
      [run],
      [property("full", { kind: "reach", formula: "busy_0 + busy_1 == 2", trace: { length: 40, run: 0 } })],
      explore(system),
    );
  },
  large_graph: () => {
    const system = net(8);
    return report_of(
      system,
      [run_of(system, random_actions(system, 30, 5), { title: "walk", kind: "simulation" })],
      [],
      explore({ ...system, initial: [8, ...system.initial.slice(1)] }),
    );
  },
  long: () => {
    const system = philosophers(6);
    // A philosopher takes both forks at once, so that the run never ends in a deadlock.
    const actions: number[] = [];
    for (let i = 0; actions.length < 99_999; i++) actions.push(...[0, 1, 2].map((k) => 4 * ((i * i) % 6) + k));
    actions.push(0);
    return report_of(
      system,
      [run_of(system, actions, { title: "long", kind: "simulation" })],
      [property("long", { verdict: "unknown", reason: "the memory limit of 2 GB was reached" })],
    );
  },
  failure: () => {
    const message = "value 300 does not fit into a byte";
    const run = run_of(protocol(), [0, 2], {
      title: "model-errors",
      property: 0,
      kind: "counterexample",
      failure: { action: 3, message, line: 18, column: 12 },
    });
    return report_of(
      protocol(),
      [run],
      [
        property("model-errors", {
          kind: "model-error",
          verdict: "violated",
          trace: { length: 3, run: 0, failure: { message } },
        }),
      ],
    );
  },
  deadlock_loop: () => {
    const system = philosophers(3);
    const run = run_of(system, [0, 4, 8], { title: "lives", property: 0, kind: "lasso", loop: 3 });
    run.steps.push({ a: -1, c: [] });
    return report_of(
      system,
      [run],
      [
        property("lives", {
          kind: "ltl",
          formula: "G F phil_0.eat",
          verdict: "violated",
          trace: { length: 4, loop: 3, run: 0 },
        }),
      ],
    );
  },
  bare: () => report_of(undefined, [], []),
  nameless: () =>
    report_of(
      undefined,
      [
        {
          title: "old.itf.json",
          kind: "simulation",
          initial: [0, 1],
          steps: [
            { a: 3, c: [0, 1] },
            { a: 4, c: [1, 5] },
          ],
        },
      ],
      [],
    ),
  no_runs: () => {
    const system = philosophers(3);
    return report_of(system, [], [property("safe", { formula: "true" })], { exploration: explore(system).exploration });
  },
  empty_run: () => {
    const system = philosophers(2);
    const run = run_of(system, [], { title: "at once", kind: "counterexample", property: 0 });
    return report_of(system, [run], [property("at once", { verdict: "violated", trace: { length: 0, run: 0 } })]);
  },
  live: () => {
    const system = philosophers(4);
    const { exploration } = explore(system);
    const started = {
      ...exploration,
      states: 0,
      actions: [],
      slots: [],
      components: [],
      complete: false,
      never_enabled_is_proven: false,
    };
    const report = report_of(system, [], [], { exploration: started });
    report.live = {
      phase: "exploring",
      engine: "sweep",
      ended: false,
      time_s: 12.5,
      completion: { done: 0.42, least: 0.3, most: 0.6, time_left_s: 17 },
    };
    return report;
  },
};

/** The page for a report: what the program does with the template. */
export function page_with(template: string, report: ReportData): string {
  return template.replace("@TIDELINE_DATA@", () => JSON.stringify(report).replace(/</g, "\\u003c"));
}

/** Writes the pages of all fixtures into a folder. */
export function make_pages(template_file: string, folder: string): Map<string, string> {
  mkdirSync(folder, { recursive: true });
  const template = readFileSync(template_file, "utf8");
  const result = new Map<string, string>();
  for (const [name, make] of Object.entries(fixtures)) {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, page_with(template, make()));
    result.set(name, file);
  }
  return result;
}
