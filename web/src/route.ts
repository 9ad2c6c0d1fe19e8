// The place in the report as the fragment of the address, so that a link leads to the same step: #run?run=1&step=12

import { type TabId, tabs } from "./store";

export interface Place {
  tab: TabId;
  run?: number;
  step?: number;
  second?: number;
  line?: number;
  whole?: number; // 1: the whole run, although it is explained
}

const keys = ["run", "step", "second", "line", "whole"] as const;

export function parse_place(fragment: string): Place {
  const [name = "", query = ""] = fragment.replace(/^#/, "").split("?", 2);
  const known = tabs.find((tab) => tab.id === name);
  const values = new URLSearchParams(query);
  const place: Place = { tab: known?.id ?? "verdicts" };
  for (const key of keys) {
    const text = values.get(key);
    if (text !== null && /^\d+$/.test(text)) place[key] = Number(text);
  }
  return place;
}

export function format_place(place: Place): string {
  const parts: string[] = [];
  for (const key of keys) {
    const value = place[key];
    if (value !== undefined) parts.push(`${key}=${value}`);
  }
  return `#${place.tab}${parts.length > 0 ? `?${parts.join("&")}` : ""}`;
}
