// The control graph of a process as it is drawn: transitions that differ only in their partner are one edge.

import type { Exploration, Model } from "./data";

export interface ControlEdge {
  from: number;
  to: number;
  line: number;
  actions: number[];
  taken: number | undefined; // undefined: not counted
  label: string;
}

/** What an edge says besides where it leads: its message, else its event, else its guard. */
export function edge_label(model: Model, component: number, action: number): string {
  const entry = model.actions[action];
  if (!entry) return "";
  if (entry.message) {
    const channel = model.channels[entry.message.channel]?.name ?? "";
    const sends = entry.message.kind === "send" || (entry.message.kind === "rendezvous" && entry.message.sender === component);
    return `${channel}${sends ? "!" : "?"}`;
  }
  // "P: a -> b" repeats what the drawing shows; what is left is a guard.
  const own = `${model.components[component]?.name ?? ""}.`;
  return entry.label.includes("->") ? entry.guard.split(own).join("") : entry.label;
}

export function control_edges(model: Model, component: number, exploration: Exploration | undefined): ControlEdge[] {
  const counted = exploration !== undefined && exploration.states > 0;
  const edges = new Map<string, ControlEdge>();
  for (const [i, { from, to, action, line }] of (model.components[component]?.edges ?? []).entries()) {
    const label = edge_label(model, component, action);
    const key = `${from},${to},${line},${label}`;
    const taken = counted ? (exploration.edges?.[component]?.[i] ?? exploration.actions[action] ?? 0) : undefined;
    const edge = edges.get(key);
    if (edge) {
      edge.actions.push(action);
      if (edge.taken !== undefined) edge.taken += taken ?? 0;
    } else {
      edges.set(key, { from, to, line, actions: [action], taken, label });
    }
  }
  return [...edges.values()];
}

/** Edges to draw: where more than two lead the same way they are one, which names the first and counts the others. An edge
    that was taken stands for those that were not, so that only what was never taken at all looks like it. */
export function drawn_edges(edges: ControlEdge[]): ControlEdge[] {
  const same_way = new Map<string, ControlEdge[]>();
  for (const edge of edges) {
    const key = `${edge.from},${edge.to}`;
    const list = same_way.get(key);
    if (list) list.push(edge);
    else same_way.set(key, [edge]);
  }
  return [...same_way.values()].flatMap((list) => {
    if (list.length <= 2) return list;
    const sorted = [...list].sort((a, b) => (b.taken ?? 0) - (a.taken ?? 0));
    const first = sorted[0] as ControlEdge;
    const taken = first.taken === undefined ? undefined : list.reduce((sum, edge) => sum + (edge.taken ?? 0), 0);
    return [
      { ...first, taken, actions: list.flatMap((edge) => edge.actions), label: `${first.label || "…"} +${list.length - 1}` },
    ];
  });
}
