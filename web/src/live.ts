// A run in progress: the page asks its server for new data every second and shows it in place.

import type { ReportData } from "./data";
import { parse_report } from "./data";
import { report } from "./store";

/** New data, with the parts of the old that have not changed, so that what is built from them is kept. */
export function merge_report(old: ReportData, fresh: ReportData): ReportData {
  const merged = { ...fresh };
  if (same(old.model, fresh.model)) merged.model = old.model;
  if (same(old.graph, fresh.graph)) merged.graph = old.graph;
  if (same(old.runs, fresh.runs)) merged.runs = old.runs;
  return merged;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Asks until the run has ended; a server that is gone is asked again, since it may only be busy. */
export function follow(address: string, failed: (message: string) => void): void {
  let misses = 0;
  const ask = async () => {
    try {
      const reply = await fetch(address, { cache: "no-store" });
      if (!reply.ok) throw new Error(`the server answers ${reply.status}`);
      report.value = merge_report(report.value, parse_report(await reply.text()));
      misses = 0;
      failed("");
    } catch (error) {
      misses++;
      failed(error instanceof Error ? error.message : String(error));
    }
    if (report.value.live?.ended || misses >= 30) return;
    setTimeout(() => void ask(), 1000);
  };
  void ask();
}
