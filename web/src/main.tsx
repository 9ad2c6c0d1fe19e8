// Starts the page: reads the data, follows the address, listens to keys, prints, and polls a run in progress.

import { batch, effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app";
import { parse_report } from "./data";
import { live_trouble } from "./live_banner";
import { follow } from "./live";
import { on_key } from "./player";
import { PrintedRun } from "./print";
import { format_place, parse_place } from "./route";
import {
  explanation,
  play,
  player_tabs,
  position,
  report,
  run_index,
  second_index,
  select_run,
  shown_line,
  tab,
  whole_run,
} from "./store";
import { start_theme } from "./theme";
import "uplot/dist/uPlot.min.css";
import "./style.css";

function go_to_place(fragment: string): void {
  const place = parse_place(fragment);
  batch(() => {
    tab.value = place.tab;
    if (place.run !== undefined && (place.run !== run_index.value || place.step !== undefined))
      select_run(place.run, place.step ?? 0);
    else if (place.step !== undefined) select_run(run_index.value, place.step);
    if (place.second !== undefined) second_index.value = place.second;
    shown_line.value = place.line ?? 0;
    whole_run.value = place.whole === 1;
  });
}

// Browsers refuse to rewrite the address hundreds of times a second, so a playing run writes it when it rests.
function keep_place_in_address(): void {
  let timer = 0;
  let written = "";
  let last_tab = tab.value;
  effect(() => {
    const fragment = format_place({
      tab: tab.value,
      run: run_index.value || undefined,
      step: player_tabs.has(tab.value) && position.value > 0 ? position.value : undefined,
      second: second_index.value >= 0 ? second_index.value : undefined,
      line: shown_line.value || undefined,
      whole: whole_run.value && explanation.value ? 1 : undefined,
    });
    window.clearTimeout(timer);
    const write = () => {
      if (fragment === written || fragment === location.hash) return;
      written = fragment;
      if (tab.value !== last_tab) history.pushState(null, "", fragment);
      else history.replaceState(null, "", fragment);
      last_tab = tab.value;
    };
    if (tab.value !== last_tab) write();
    else timer = window.setTimeout(write, 300);
  });
  const read = () => {
    last_tab = parse_place(location.hash).tab;
    go_to_place(location.hash);
  };
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
}

function start(): void {
  const root = document.getElementById("app");
  const text = document.getElementById("tideline-data")?.textContent ?? "";
  if (!root) return;
  start_theme();
  try {
    report.value = parse_report(text);
  } catch (error) {
    root.textContent = error instanceof Error ? error.message : String(error);
    root.className = "missing";
    return;
  }
  const { model, answer } = report.value;
  document.title = `${model?.name || answer.model || "Report"} · Tideline`;
  go_to_place(location.hash);
  render(<App />, root);
  keep_place_in_address();
  addEventListener("keydown", (event) => {
    if (player_tabs.has(tab.value)) on_key(event);
  });
  addEventListener("beforeprint", () => {
    play(false);
    const paper = document.getElementById("print");
    if (paper) render(<PrintedRun />, paper);
  });
  addEventListener("afterprint", () => {
    const paper = document.getElementById("print");
    if (paper) render(null, paper);
  });
  const address = document.querySelector<HTMLMetaElement>('meta[name="tideline-live"]')?.content;
  if (address) follow(address, (message) => (live_trouble.value = message));
}

start();
