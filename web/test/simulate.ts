// Small systems for the tests, and a simulator that makes runs and state spaces of them, so that the changes of their
// steps are consistent with their actions.

import type { Action, Component, Exploration, Model, Run, StateGraph, Step } from "../src/data";

interface Rule {
  enabled: (state: number[]) => boolean;
  effect: (state: number[]) => void;
  message?: (state: number[]) => string;
}

export interface Simulated {
  model: Model;
  rules: Rule[]; // one for each action
  initial: number[];
}

/** Takes one action and records what it changed. */
function take(system: Simulated, state: number[], a: number): Step {
  const rule = system.rules[a];
  if (!rule || !rule.enabled(state)) throw new Error(`action ${a} is not enabled`);
  const before = state.slice();
  const message = rule.message?.(state);
  rule.effect(state);
  const c: number[] = [];
  state.forEach((value, slot) => {
    if (value !== before[slot]) c.push(slot, value);
  });
  return message === undefined ? { a, c } : { a, c, m: message };
}

export function run_of(system: Simulated, actions: number[], rest: Partial<Run> & { title: string; kind: Run["kind"] }): Run {
  const state = system.initial.slice();
  return { initial: system.initial.slice(), steps: actions.map((a) => take(system, state, a)), ...rest };
}

/** A random run, the same for the same seed. */
export function random_actions(system: Simulated, length: number, seed = 1): number[] {
  const state = system.initial.slice();
  const result: number[] = [];
  let random = seed;
  while (result.length < length) {
    const enabled = system.rules.map((_, a) => a).filter((a) => system.rules[a]?.enabled(state));
    if (enabled.length === 0) break;
    random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
    const a = enabled[(random >> 8) % enabled.length] as number;
    take(system, state, a);
    result.push(a);
  }
  return result;
}

function tally(keys: string[]): { counts: Map<string, number>; entropy: number } {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const entropy = -[...counts.values()].reduce((sum, n) => sum + (n / keys.length) * Math.log2(n / keys.length), 0);
  return { counts, entropy: Math.abs(entropy) };
}

/** All reachable states, breadth first, with levels and counts. */
export function explore(system: Simulated, limit = 20000): { graph: StateGraph; exploration: Exploration } {
  const index = new Map<string, number>();
  const states: number[][] = [];
  const edges: [number, number, number][] = [];
  const levels: number[] = [];
  const actions: number[] = system.rules.map(() => 0);
  const add = (state: number[]): number => {
    const key = state.join();
    let i = index.get(key);
    if (i === undefined) index.set(key, (i = states.push(state) - 1));
    return i;
  };
  add(system.initial);
  let done = 0;
  while (done < states.length && states.length < limit) {
    const end = states.length;
    levels.push(end - done);
    for (; done < end; done++)
      system.rules.forEach((rule, a) => {
        const state = (states[done] as number[]).slice();
        if (!rule.enabled(state)) return;
        rule.effect(state);
        actions[a] = (actions[a] ?? 0) + 1;
        edges.push([done, a, add(state)]);
      });
  }
  const complete = done === states.length;
  const slots = system.model.slots.map((_, s) => {
    const { counts, entropy } = tally(states.map((state) => String(state[s])));
    const top = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8);
    return { distinct: counts.size, entropy, top: top.map(([value, n]): [number, number] => [Number(value), n]) };
  });
  const components = system.model.components.map((_, c) => {
    const own = system.model.slots.flatMap((slot, s) => (slot.component === c ? [s] : []));
    const { counts, entropy } = tally(states.map((state) => own.map((s) => state[s]).join()));
    return { distinct: counts.size, entropy };
  });
  const folded = system.model.slots.flatMap((slot, s) => {
    if (slot.kind !== "location") return [];
    const classes = [...new Set(states.map((state) => state[s] as number))];
    const { counts } = tally(
      edges.map(
        ([from, , to]) => `${classes.indexOf(states[from]?.[s] as number)},${classes.indexOf(states[to]?.[s] as number)}`,
      ),
    );
    return [
      {
        by: [s],
        classes: classes.map((value) => ({ values: [value], states: states.filter((state) => state[s] === value).length })),
        edges: [...counts].map(([key, n]): [number, number, number] => [
          Number(key.split(",")[0]),
          Number(key.split(",")[1]),
          n,
        ]),
      },
    ];
  });
  const timeline = Array.from({ length: 60 }, (_, i) => ({
    t: i * 0.05,
    states: Math.round((states.length * i * i) / (59 * 59)),
    memory_bytes: Math.round(8e6 + 150 * states.length * (i / 59)),
    frontier: levels[Math.min(levels.length - 1, Math.floor((i / 60) * levels.length))] ?? 0,
    phase: "exploring",
    engine: "bfs",
  }));
  const layers = levels.map((n, i) => ({
    progress: String(i),
    expanded: n,
    stored: n + (levels[i + 1] ?? 0),
    persistent: Math.min(i, 5),
    sweep: 1,
  }));
  const how = `Counted by a breadth-first pass over all ${states.length} states.`;
  return {
    graph: { states, initial: [0], edges },
    exploration: {
      complete,
      states: states.length,
      transitions: edges.length,
      deadlocks: 0,
      how,
      actions,
      never_enabled_is_proven: complete,
      levels,
      layers,
      timeline,
      slots,
      components,
      folded,
    },
  };
}

// Dining philosophers, each first takes the left fork. Philosopher i has location slot 2i and a count of meals 2i + 1;
// the forks are an array after them. Its four actions are 4i (left fork), 4i + 1 (right), 4i + 2 (done), 4i + 3 (never).
export function philosophers(n = 4): Simulated {
  const fork = (i: number) => 2 * n + ((i + n) % n);
  const source_lines = [`byte fork[${n}];`, ""];
  const components: Component[] = [];
  const actions: Action[] = [];
  const rules: Rule[] = [];
  const slots: Model["slots"] = [];
  const variables: Model["variables"] = [];
  for (let i = 0; i < n; i++) {
    const name = `phil_${i}`;
    const right_fork = (i + 1) % n;
    const first_line = source_lines.length + 1;
    source_lines.push(
      `process ${name} {`,
      "  byte meals; // how often it has eaten, modulo 3",
      "  state think, one, eat;",
      "  init think;",
      "  trans",
      `    think -> one { guard fork[${i}] == 0; effect fork[${i}] = 1; },`,
      `    one -> eat { guard fork[${right_fork}] == 0; effect fork[${right_fork}] = 1; },`,
      `    eat -> think { effect fork[${i}] = 0, fork[${right_fork}] = 0, meals = (meals + 1) % 3; },`,
      "    eat -> eat { guard meals > 3; };",
      "}",
      "",
    );
    slots.push(
      { name, component: i, kind: "location", variable: 2 * i },
      { name: `${name}.meals`, component: i, kind: "number", variable: 2 * i + 1 },
    );
    variables.push(
      { name, component: i, first: 2 * i, length: 1, line: first_line },
      { name: `${name}.meals`, component: i, first: 2 * i + 1, length: 1, line: first_line + 1 },
    );
    const edges: Component["edges"] = [];
    const add = (from: number, to: number, label: string, guard: string, line: number, rule: Rule) => {
      edges.push({ from, to, action: actions.length, line });
      actions.push({ label: `${name}: ${label}`, guard, participants: [{ component: i, line }], line, reads: [], writes: [] });
      rules.push({ enabled: (s) => s[2 * i] === from && rule.enabled(s), effect: (s) => ((s[2 * i] = to), rule.effect(s)) });
    };
    const left = fork(i);
    const right = fork(i + 1);
    const meals = 2 * i + 1;
    const finish = (s: number[]) => {
      s[left] = 0;
      s[right] = 0;
      s[meals] = ((s[meals] ?? 0) + 1) % 3;
    };
    add(0, 1, "think -> one", `fork[${i}] == 0`, first_line + 5, {
      enabled: (s) => s[left] === 0,
      effect: (s) => void (s[left] = 1),
    });
    add(1, 2, "one -> eat", `fork[${right_fork}] == 0`, first_line + 6, {
      enabled: (s) => s[right] === 0,
      effect: (s) => void (s[right] = 1),
    });
    add(2, 0, "eat -> think", "", first_line + 7, { enabled: () => true, effect: finish });
    add(2, 2, "eat -> eat", "meals > 3", first_line + 8, { enabled: (s) => (s[meals] ?? 0) > 3, effect: () => undefined });
    components.push({
      name,
      initial: 0,
      locations: ["think", "one", "eat"].map((l) => ({ name: l, line: first_line + 2 })),
      edges,
    });
  }
  for (let i = 0; i < n; i++) slots.push({ name: `fork[${i}]`, kind: "number", variable: 2 * n });
  variables.push({ name: "fork", first: 2 * n, length: n, array: true, line: 1 });
  source_lines.push("system async;", "");
  const model: Model = {
    name: "phils.dve",
    path: "models/phils.dve",
    language: "dve",
    source: source_lines.join("\n"),
    components,
    slots,
    variables,
    channels: [],
    actions,
  };
  return { model, rules, initial: slots.map(() => 0) };
}

const protocol_source = `channel {byte, byte} data[2];
channel {byte} ack[0];
process Sender {
  byte value;
  state ready, wait;
  init ready;
  trans
    ready -> wait { sync data!{value, value % 2}; },
    wait -> ready { sync ack?{value}; },
    wait -> ready { }; // timeout
}
process Receiver {
  byte got;
  state listen, answer;
  init listen;
  trans
    listen -> answer { sync data?{got, bit}; },
    answer -> listen { sync ack!{(got + 1) % 4}; };
}
process Loss {
  state idle;
  init idle;
  trans
    idle -> idle { sync data?{got, bit}; };
}
process Watch {
  state on;
  init on;
  trans
    on -> on { sync tick; };
}
system async;
`;

// A sender and a receiver with a queue of two for data, a rendezvous for acknowledgements, a process that loses data, and
// an action of three processes without a message. Actions: 0 send, 1 timeout, 2 receive, 3 acknowledge, 4 lose, 5 tick.
export function protocol(): Simulated {
  const S = { sender: 0, value: 1, receiver: 2, got: 3, loss: 4, length: 5, data: 6, bit: 8 };
  const at = (s: number[], slot: number) => s[slot] ?? 0;
  const pop = (s: number[]) => {
    s[S.data] = at(s, S.data + 1);
    s[S.data + 1] = 0;
    s[S.bit] = at(s, S.bit + 1);
    s[S.bit + 1] = 0;
    s[S.length] = at(s, S.length) - 1;
  };
  const push = (s: number[]) => {
    const end = at(s, S.length);
    s[S.data + end] = at(s, S.value);
    s[S.bit + end] = at(s, S.value) % 2;
    s[S.length] = end + 1;
    s[S.sender] = 1;
  };
  const receive = (s: number[]) => {
    s[S.got] = at(s, S.data);
    pop(s);
    s[S.receiver] = 1;
  };
  const acknowledge = (s: number[]) => {
    s[S.value] = (at(s, S.got) + 1) % 4;
    s[S.receiver] = 0;
    s[S.sender] = 0;
  };
  const front = (s: number[]) => `${s[S.data]}, ${s[S.bit]}`;
  const rules: Rule[] = [
    {
      enabled: (s) => s[S.sender] === 0 && at(s, S.length) < 2,
      effect: push,
      message: (s) => `${s[S.value]}, ${at(s, S.value) % 2}`,
    },
    { enabled: (s) => s[S.sender] === 1, effect: (s) => void (s[S.sender] = 0) },
    { enabled: (s) => s[S.receiver] === 0 && at(s, S.length) > 0, effect: receive, message: front },
    {
      enabled: (s) => s[S.receiver] === 1 && s[S.sender] === 1,
      effect: acknowledge,
      message: (s) => String((at(s, S.got) + 1) % 4),
    },
    { enabled: (s) => at(s, S.length) > 0, effect: pop, message: front },
    { enabled: (s) => s[S.got] === 3, effect: (s) => void (s[S.got] = 0) },
  ];
  const action = (label: string, participants: [number, number][], rest: Partial<Action> = {}): Action => ({
    label,
    guard: "",
    participants: participants.map(([component, line]) => ({ component, line })),
    line: participants[0]?.[1] ?? 0,
    reads: [],
    writes: [],
    ...rest,
  });
  const actions = [
    action("Sender: ready -> wait", [[0, 8]], { message: { channel: 0, kind: "send", sender: 0 } }),
    action("Sender: wait -> ready", [[0, 10]]),
    action("Receiver: listen -> answer", [[1, 17]], { message: { channel: 0, kind: "receive", receiver: 1 } }),
    action(
      "Receiver: answer -> listen, Sender: wait -> ready",
      [
        [1, 18],
        [0, 9],
      ],
      { message: { channel: 1, kind: "rendezvous", sender: 1, receiver: 0 } },
    ),
    action("Loss: idle -> idle", [[2, 24]], { message: { channel: 0, kind: "receive", receiver: 2 } }),
    action(
      "tick",
      [
        [1, 18],
        [2, 24],
        [3, 30],
      ],
      { guard: "got == 3" },
    ),
  ];
  const variable = (name: string, first: number, line: number, component?: number, length = 1): Model["variables"][number] => ({
    name,
    first,
    length,
    line,
    ...(component === undefined ? {} : { component }),
    ...(length > 1 ? { array: true } : {}),
  });
  const variables = [
    variable("Sender", 0, 3, 0),
    variable("Sender.value", 1, 4, 0),
    variable("Receiver", 2, 12, 1),
    variable("Receiver.got", 3, 13, 1),
    variable("Loss", 4, 20, 2),
    variable("data.length", 5, 1),
    variable("data.0", 6, 1, undefined, 2),
    variable("data.1", 8, 1, undefined, 2),
    variable("Watch", 10, 26, 3),
  ];
  const component_names = ["Sender", "Receiver", "Loss", "Watch"];
  const slots = variables.flatMap((v, i) =>
    Array.from({ length: v.length }, (_, j): Model["slots"][number] => ({
      name: v.length > 1 ? `${v.name}[${j}]` : v.name,
      kind: component_names.includes(v.name) ? "location" : "number",
      variable: i,
      ...(v.component === undefined ? {} : { component: v.component }),
    })),
  );
  const component = (
    name: string,
    locations: string[],
    line: number,
    edges: [number, number, number, number][],
  ): Component => ({
    name,
    initial: 0,
    locations: locations.map((l) => ({ name: l, line })),
    edges: edges.map(([from, to, a, l]) => ({ from, to, action: a, line: l })),
  });
  const model: Model = {
    name: "protocol.dve",
    path: "models/protocol.dve",
    language: "dve",
    source: protocol_source,
    components: [
      component("Sender", ["ready", "wait"], 5, [
        [0, 1, 0, 8],
        [1, 0, 1, 10],
        [1, 0, 3, 9],
      ]),
      component("Receiver", ["listen", "answer"], 14, [
        [0, 1, 2, 17],
        [1, 0, 3, 18],
      ]),
      component("Loss", ["idle"], 21, [[0, 0, 4, 24]]),
      component("Watch", ["on"], 27, [[0, 0, 5, 30]]),
    ],
    slots,
    variables,
    channels: [
      { name: "data", capacity: 2, length_slot: 5, fields: [6, 8], line: 1 },
      { name: "ack", capacity: 0, fields: [], line: 2 },
    ],
    actions,
  };
  return { model, rules, initial: slots.map(() => 0) };
}

// A net of n machines that take from a store and put back; one place is never marked and one transition never fires.
export function net(n = 6): Simulated {
  const names = ["store", ...Array.from({ length: n }, (_, i) => `busy_${i}`), "broken"];
  const rules: Rule[] = [];
  const actions: Action[] = [];
  const add = (label: string, enabled: Rule["enabled"], effect: Rule["effect"]) => {
    rules.push({ enabled, effect });
    actions.push({ label, guard: "", participants: [], line: 0, reads: [], writes: [] });
  };
  for (let i = 0; i < n; i++) {
    add(
      `take_${i}`,
      (s) => (s[0] ?? 0) > 0 && s[1 + i] === 0,
      (s) => void ((s[0] = (s[0] ?? 0) - 1), (s[1 + i] = 1)),
    );
    add(
      `put_${i}`,
      (s) => s[1 + i] === 1,
      (s) => void ((s[0] = (s[0] ?? 0) + 1), (s[1 + i] = 0)),
    );
  }
  add(
    "repair",
    (s) => (s[n + 1] ?? 0) > 0,
    (s) => void (s[n + 1] = 0),
  );
  const model: Model = {
    name: "machines.pnml",
    path: "models/machines.pnml",
    language: "pnml",
    components: [],
    slots: names.map((name, i) => ({ name, kind: "place", variable: i })),
    variables: names.map((name, i) => ({ name, first: i, length: 1, line: 0 })),
    channels: [],
    actions,
  };
  return { model, rules, initial: [3, ...names.slice(1).map(() => 0)] };
}
