// How a model's states and actions are shown: slots gathered into rows (a number, an array, a channel as a queue, the
// location of a process by name, a place of a net), rows gathered by process, actions with the processes that move.

import type { Model, ReportData, Step } from "./data";

export type RowKind = "location" | "number" | "array" | "channel" | "place";

export interface Row {
  index: number;
  name: string; // full name, unique: "P_0.seen"
  short: string; // within its group: "seen"
  kind: RowKind;
  component: number; // -1: global
  slots: number[];
  channel: number; // -1: not a channel
  line: number;
}

/** A part of a shown value; `slot` is -1 for brackets and commas. */
export interface Part {
  text: string;
  slot: number;
}

export interface RowChange {
  row: Row;
  name: string;
  before: string;
  after: string;
}

export class ModelView {
  readonly rows: Row[] = [];
  readonly row_of_slot: number[] = [];
  readonly location_slot: number[] = []; // of each process
  readonly is_net: boolean;

  constructor(readonly model: Model) {
    const channel_of_variable = new Map<number, number>();
    model.channels.forEach((channel, c) => {
      for (const slot of [channel.length_slot, ...channel.fields]) {
        const variable = slot === undefined ? undefined : model.slots[slot]?.variable;
        if (variable !== undefined) channel_of_variable.set(variable, c);
      }
    });
    model.slots.forEach((slot, i) => {
      if (slot.kind === "location" && slot.component !== undefined) this.location_slot[slot.component] = i;
    });
    const channel_rows = new Map<number, Row>();
    model.variables.forEach((variable, v) => {
      const slots = Array.from({ length: variable.length }, (_, i) => variable.first + i);
      const c = channel_of_variable.get(v);
      const known = c === undefined ? undefined : channel_rows.get(c);
      if (known) {
        known.slots.push(...slots);
        return;
      }
      const channel = c === undefined ? undefined : model.channels[c];
      const first = model.slots[variable.first];
      const component = variable.component ?? first?.component ?? -1;
      const kind: RowKind =
        channel !== undefined ? "channel" : first && first.kind !== "number" ? first.kind : variable.array ? "array" : "number";
      const name = channel?.name ?? variable.name;
      const row: Row = {
        index: 0,
        name,
        short: this.short_name(name, component, kind),
        kind,
        component,
        slots,
        channel: c ?? -1,
        line: channel?.line ?? variable.line,
      };
      if (c !== undefined) channel_rows.set(c, row);
      this.rows.push(row);
    });
    // Globals first, then process by process, a process's location before its variables.
    this.rows.sort((a, b) => a.component - b.component || rank(a) - rank(b) || (a.slots[0] ?? 0) - (b.slots[0] ?? 0));
    this.rows.forEach((row, i) => {
      row.index = i;
      for (const slot of row.slots) this.row_of_slot[slot] = i;
    });
    this.is_net = model.slots.some((slot) => slot.kind === "place");
  }

  component_name(component: number): string {
    return component < 0 ? "global" : (this.model.components[component]?.name ?? `process ${component}`);
  }

  action_label(action: number): string {
    if (action < 0) return "deadlock: the state repeats";
    return this.model.actions[action]?.label ?? `action ${action}`;
  }

  /** The processes that move in an action. */
  movers(action: number): number[] {
    return (this.model.actions[action]?.participants ?? []).map((p) => p.component);
  }

  /** What each process does in an action, where its label says so ("A: x -> y, B: u -> v"); else undefined. */
  moves(action: number): { component: number; text: string }[] | undefined {
    const movers = this.movers(action);
    const parts = this.action_label(action).split(", ");
    if (movers.length === 0 || parts.length !== movers.length) return undefined;
    const result: { component: number; text: string }[] = [];
    for (const [i, component] of movers.entries()) {
      const prefix = `${this.component_name(component)}: `;
      const part = parts[i] ?? "";
      if (!part.startsWith(prefix)) return undefined;
      result.push({ component, text: part.slice(prefix.length) });
    }
    return result;
  }

  /** The lines of the source that an action takes in a state: of the moves of its processes, else of the action itself. */
  lines(action: number, before: ArrayLike<number>): number[] {
    const entry = this.model.actions[action];
    if (!entry) return [];
    const lines = new Set(entry.participants.map((p) => p.line || this.line_of_move(action, p.component, before)));
    lines.delete(0);
    if (lines.size === 0 && entry.line > 0) lines.add(entry.line);
    return [...lines].sort((a, b) => a - b);
  }

  /** The line of what a process does in an action that it may take in several locations; 0: not known. */
  private line_of_move(action: number, component: number, before: ArrayLike<number>): number {
    const at = before[this.location_slot[component] ?? -1];
    const edge = this.model.components[component]?.edges.find((e) => e.action === action && e.from === at);
    return edge?.line ?? 0;
  }

  slot_value(slot: number, value: number): string {
    const entry = this.model.slots[slot];
    if (entry?.kind === "location" && entry.component !== undefined)
      return this.model.components[entry.component]?.locations[value]?.name ?? String(value);
    return String(value);
  }

  /** The contents of a channel, oldest message first. */
  queue(channel: number, state: ArrayLike<number>): string[] {
    const entry = this.model.channels[channel];
    if (!entry) return [];
    const length = entry.length_slot === undefined ? 0 : (state[entry.length_slot] ?? 0);
    return Array.from({ length }, (_, i) => {
      const values = entry.fields.map((first) => String(state[first + i] ?? 0));
      return values.length > 1 ? `(${values.join(",")})` : (values[0] ?? "•");
    });
  }

  value(row: Row, state: ArrayLike<number>): string {
    return this.parts(row, state)
      .map((part) => part.text)
      .join("");
  }

  /** The value of a row in pieces, so that the pieces that changed can be marked. */
  parts(row: Row, state: ArrayLike<number>): Part[] {
    if (row.kind === "channel") return [{ text: `[${this.queue(row.channel, state).join(",")}]`, slot: -1 }];
    if (row.kind !== "array") {
      const slot = row.slots[0] ?? 0;
      return [{ text: this.slot_value(slot, state[slot] ?? 0), slot }];
    }
    const parts: Part[] = [{ text: "[", slot: -1 }];
    row.slots.forEach((slot, i) => {
      if (i > 0) parts.push({ text: ", ", slot: -1 });
      parts.push({ text: this.slot_value(slot, state[slot] ?? 0), slot });
    });
    parts.push({ text: "]", slot: -1 });
    return parts;
  }

  /** What a step changes, by row. Moves between locations are left out where the label names them. */
  row_changes(step: Step, before: ArrayLike<number>, after: ArrayLike<number>, with_locations = false): RowChange[] {
    const label_has_move = this.action_label(step.a).includes("->");
    const result: RowChange[] = [];
    const seen = new Set<number>();
    for (let i = 0; i + 1 < step.c.length; i += 2) {
      const slot = step.c[i] as number;
      const row = this.rows[this.row_of_slot[slot] ?? -1];
      if (!row) continue;
      if (row.kind === "location" && label_has_move && !with_locations) continue;
      if (row.kind === "channel") {
        if (seen.has(row.index)) continue;
        seen.add(row.index);
        result.push({ row, name: row.name, before: this.value(row, before), after: this.value(row, after) });
      } else {
        const name = this.model.slots[slot]?.name ?? row.name;
        result.push({
          row,
          name,
          before: this.slot_value(slot, before[slot] ?? 0),
          after: this.slot_value(slot, after[slot] ?? 0),
        });
      }
    }
    return result;
  }

  private short_name(name: string, component: number, kind: RowKind): string {
    if (kind === "location") return "location";
    const prefix = component < 0 ? "" : `${this.component_name(component)}.`;
    return prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name;
  }
}

function rank(row: Row): number {
  return row.kind === "location" ? 0 : row.kind === "channel" ? 1 : 2;
}

/** The model of a report, or one with made-up names when the report has none, so that its runs can still be shown. */
export function model_of(data: ReportData): Model {
  if (data.model) return data.model;
  const slots = Math.max(0, ...data.runs.map((run) => run.initial.length));
  return {
    name: data.answer.model,
    path: data.answer.model,
    language: "",
    components: [],
    slots: Array.from({ length: slots }, (_, i) => ({ name: `value ${i}`, kind: "number" as const, variable: i })),
    variables: Array.from({ length: slots }, (_, i) => ({ name: `value ${i}`, first: i, length: 1, line: 0 })),
    channels: [],
    actions: [],
  };
}
