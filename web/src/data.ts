// The data of a report, as the program writes it into the page. `docs/tideline-report.schema.json` says the same for the
// other side. Indices count from 0; lines count from 1, and 0 means that the line is not known.

export type Verdict = "holds" | "violated" | "unknown";

export interface TraceSummary {
  length: number;
  loop?: number;
  failure?: { message: string };
  no_value?: { error: string; message: string };
  run: number; // index into runs
}

/** What matters in a run. Steps count from 1; a failing one counts. */
export interface Explanation {
  text: string;
  steps: number[]; // that matter
  variables: string[]; // names of slots
  groups: { first: number; last: number; process?: string }[];
  length_before: number; // steps of the run as it was found
  order: number[]; // for each step its number in that run
}

export interface Property {
  name: string;
  kind: string;
  formula: string;
  fairness?: string;
  deadlock_paths?: string;
  verdict: Verdict;
  reason: string;
  expected?: Verdict;
  as_expected?: boolean;
  shortened_from?: number; // steps of the run that was found first
  trace: TraceSummary | null;
  explanation?: Explanation; // of `trace`
  traces?: TraceSummary[]; // further runs
  explanations?: Explanation[]; // of `traces`
}

export type Statistics = Record<string, number | string>;

export interface Search {
  engine: string;
  properties: string[];
  complete: boolean;
  statistics: Statistics;
}

export interface Answer {
  tool: string;
  version: string;
  command: string;
  model: string;
  engine: string;
  complete: boolean;
  properties: Property[];
  statistics: Statistics;
  searches?: Search[];
  never_enabled: string[];
  warnings: string[];
  unbounded?: { prefix: string[]; sequence: string[]; grows: string[] };
  exit_code: number;
}

export interface Component {
  name: string;
  initial: number;
  locations: { name: string; line: number; committed?: boolean }[];
  edges: { from: number; to: number; action: number; line: number }[];
}

export interface Slot {
  name: string;
  component?: number; // the owner; absent: global
  kind: "number" | "location" | "place";
  variable: number;
}

export interface Variable {
  name: string;
  component?: number;
  first: number; // first slot
  length: number;
  array?: boolean;
  line: number;
}

export interface Channel {
  name: string;
  capacity: number; // 0: rendezvous
  length_slot?: number;
  fields: number[]; // first slot of each field's row
  line: number;
}

export interface Message {
  channel: number;
  kind: "rendezvous" | "send" | "receive";
  sender?: number;
  receiver?: number;
}

export interface Action {
  label: string;
  guard: string;
  participants: { component: number; line: number }[]; // line 0: it depends on the location, and the edges know it
  message?: Message;
  line: number;
  reads: number[];
  writes: number[];
}

export interface Model {
  name: string;
  path: string;
  language: string;
  source?: string;
  components: Component[];
  slots: Slot[];
  variables: Variable[];
  channels: Channel[];
  actions: Action[];
}

export interface Step {
  a: number; // the action; -1: the state is a deadlock and repeats
  c: number[]; // slot, new value, slot, new value, ...
  m?: string; // the message that travels
}

export interface Run {
  title: string;
  property?: number;
  kind: "counterexample" | "lasso" | "witness" | "simulation";
  initial: number[];
  steps: Step[];
  loop?: number; // index of the state to which the last step returns
  failure?: { action: number; message: string; line: number; column: number };
}

export interface Layer {
  progress: string;
  expanded: number;
  stored: number;
  persistent: number;
  sweep: number;
}

export interface TimePoint {
  t: number;
  states: number;
  memory_bytes: number;
  frontier: number;
  phase: string;
  engine: string;
}

export interface FoldedGraph {
  by: number[];
  classes: { values: number[]; states: number }[];
  edges: [number, number, number][]; // from, to, count
}

export interface Exploration {
  complete: boolean;
  states: number;
  transitions: number;
  deadlocks: number;
  how: string;
  actions: number[];
  edges?: number[][]; // of each component, like `actions`; absent: an edge was taken as often as its action
  never_enabled_is_proven: boolean;
  never_enabled?: number[]; // actions that a complete search has shown to be never enabled, where the pass was not complete
  levels?: number[];
  layers?: Layer[];
  timeline?: TimePoint[];
  slots: { distinct: number; entropy: number; top: [number, number][] }[];
  components: { distinct: number; entropy: number }[];
  folded?: FoldedGraph[];
}

export interface StateGraph {
  states: number[][];
  initial: number[];
  edges: [number, number, number][]; // from, action, to
}

export interface Live {
  phase: string;
  engine: string;
  ended: boolean;
  time_s: number;
  completion?: { done: number; least: number; most: number; time_left_s: number };
}

export interface ReportData {
  format: "tideline-report";
  version: 1;
  created: string;
  command: string[];
  answer: Answer;
  notes: string[];
  model?: Model;
  runs: Run[];
  exploration?: Exploration;
  graph?: StateGraph;
  live?: Live;
}

/** Reads the text of a report. Throws an Error with a message for the reader when it is not one. */
export function parse_report(text: string): ReportData {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`The data in this page cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const data = value as Partial<ReportData> | null;
  if (typeof data !== "object" || data === null || data.format !== "tideline-report")
    throw new Error("The data in this page is not a Tideline report.");
  if (data.version !== 1)
    throw new Error(`This page reads version 1 of the report format, and the data has version ${String(data.version)}.`);
  if (!data.answer || !Array.isArray(data.runs)) throw new Error("The report has no answer or no list of runs.");
  return data as ReportData;
}

/** The verdict on all properties together: violated when one is, unknown when one is and none is violated. */
export function overall_verdict(properties: Property[]): Verdict | "none" {
  if (properties.length === 0) return "none";
  if (properties.some((p) => p.verdict === "violated")) return "violated";
  return properties.some((p) => p.verdict === "unknown") ? "unknown" : "holds";
}
