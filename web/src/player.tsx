// The controls of the player, the drawing of a lasso, and the text of the current step for screen readers.

import { useEffect, useState } from "preact/hooks";
import { count, counted } from "./numbers";
import { arrows } from "./pieces";
import {
  explanation,
  go_to,
  jump_to_change,
  play,
  playing,
  position,
  replay,
  report,
  run_index,
  second_index,
  select_run,
  selected_row,
  speed,
  speeds,
  step_back,
  step_forward,
  tab,
  view,
  whole_run,
} from "./store";

/** Stem and circle with the current position on it. */
export function LassoDrawing() {
  const run = replay.value;
  if (!run?.is_lasso()) return null;
  const loop = run.run.loop as number;
  const cycle = run.length - loop;
  const radius = 15;
  const stem = loop === 0 ? 0 : 46;
  const [cx, cy] = [8 + stem + radius, 21];
  const at = (angle: number): [number, number] => [cx - radius * Math.cos(angle), cy - radius * Math.sin(angle)];
  const p = position.value;
  const [x, y] = p <= loop && loop > 0 ? [8 + (stem * p) / loop, cy] : at((2 * Math.PI * (p - loop)) / cycle);
  const text = `A lasso: a stem of ${counted(loop, "step")}, then a cycle of ${counted(cycle, "step")} for ever. ${p <= loop ? "Now in the stem" : "Now in the cycle"}.`;
  return (
    <figure class="lasso" title={text}>
      <svg width={cx + radius + 8} height="42" role="img" aria-label={text}>
        {stem > 0 && <line x1="8" y1={cy} x2={8 + stem} y2={cy} class="stem" />}
        {stem > 0 && <circle cx="8" cy={cy} r="2.5" class="start" />}
        <circle cx={cx} cy={cy} r={radius} class="cycle" />
        <path d={`M ${cx - 4} ${cy - radius - 4} l 6 4 l -6 4 z`} class="head" />
        <circle cx={x} cy={y} r="4.5" class="here" />
      </svg>
      <figcaption>
        {count(loop)} + <b>{count(cycle)}</b> ↻
      </figcaption>
    </figure>
  );
}

function RunChoice() {
  const runs = report.value.runs;
  return (
    <>
      <label>
        Run{" "}
        <select id="run-choice" value={run_index.value} onChange={(event) => select_run(Number(event.currentTarget.value))}>
          {runs.map((run, i) => (
            <option value={i}>
              {run.title} ({counted(run.steps.length, "step")})
            </option>
          ))}
        </select>
      </label>
      {runs.length > 1 && tab.value === "run" && (
        <label>
          beside{" "}
          <select
            id="second-choice"
            value={second_index.value}
            onChange={(event) => (second_index.value = Number(event.currentTarget.value))}
          >
            <option value={-1}>no other run</option>
            {runs.map((run, i) => i !== run_index.value && <option value={i}>{run.title}</option>)}
          </select>
        </label>
      )}
    </>
  );
}

/** The current step in a sentence. */
export function step_sentence(): string {
  const run = replay.value;
  if (!run) return "";
  const p = position.value;
  const failure = p === run.length ? run.run.failure : undefined;
  const fails = failure ? ` Then ${view.value.action_label(failure.action)} fails: ${failure.message}.` : "";
  if (p === 0) return `Initial state of a run of ${counted(run.length, "step")}.${fails}`;
  const before = run.state(p - 1);
  const step = run.step(p);
  const changes = view.value.row_changes(step, before, run.state(p)).slice(0, 6);
  const told = changes.map((c) => `${c.name} from ${c.before} to ${c.after}`).join(", ");
  const back = p === run.length && run.is_lasso() ? ` Back in state ${count(run.run.loop as number)}.` : "";
  const matters = explanation.value?.steps.has(p) ? ", which matters" : "";
  return `Step ${count(p)} of ${count(run.length)}${matters}: ${view.value.action_label(step.a)}${told ? `; ${told}` : ""}.${back}${fails}`;
}

// Read out only when the reader has stopped for a moment: a sentence for each step of a playing run would never end.
function SpokenStep() {
  const [text, set_text] = useState("");
  const now = step_sentence();
  const busy = playing.value;
  useEffect(() => {
    if (busy) return;
    const timer = setTimeout(() => set_text(now), 150);
    return () => clearTimeout(timer);
  }, [now, busy]);
  return (
    <p class="sr-only" aria-live="polite" id="spoken-step">
      {text}
    </p>
  );
}

/** Marks under the slider: the steps that change the selected variable. */
function ChangeTicks() {
  const run = replay.value;
  const row = view.value.rows[selected_row.value];
  if (!run || !row || run.length === 0) return null;
  const columns = new Set(run.all_changes(new Set(row.slots)).map((k) => Math.round((k / run.length) * 500)));
  const path = [...columns].map((x) => `M${x} 0V6`).join("");
  return (
    <svg class="ticks" viewBox="-1 0 502 6" preserveAspectRatio="none" aria-hidden="true">
      <path d={path} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

function Button({
  label,
  sign,
  keys,
  on,
  disabled,
}: {
  label: string;
  sign: string;
  keys: string;
  on: () => void;
  disabled?: boolean;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={`${label} (${keys})`}
      onClick={on}
      disabled={disabled}
      aria-keyshortcuts={keys}
    >
      <span aria-hidden="true">{sign}</span>
    </button>
  );
}

export function Player() {
  const run = replay.value;
  if (!run) return null;
  const p = position.value;
  const row = view.value.rows[selected_row.value];
  const at_end = p >= run.length && !run.is_lasso();
  return (
    <section class="player" aria-label="Player">
      <div class="player-line">
        <RunChoice />
        <div class="buttons" role="group" aria-label="Move through the run">
          <Button label="First state" sign="⇤" keys="Home" on={() => go_to(0)} disabled={p === 0} />
          <Button label="Step back" sign="←" keys="ArrowLeft" on={step_back} disabled={p === 0} />
          <button
            type="button"
            class="play"
            onClick={() => play(!playing.value)}
            aria-pressed={playing.value}
            title={`${playing.value ? "Pause" : "Play"} (Space)`}
          >
            {playing.value ? "❚❚ Pause" : "▶ Play"}
          </button>
          <Button label="Step forward" sign="→" keys="ArrowRight" on={() => void step_forward()} disabled={at_end} />
          <Button label="Last state" sign="⇥" keys="End" on={() => go_to(run.length)} disabled={p === run.length} />
        </div>
        <label>
          Speed{" "}
          <select id="speed" value={speed.value} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
            {speeds.map((s) => (
              <option value={s}>{s} / s</option>
            ))}
          </select>
        </label>
        {row && (
          <div class="buttons" role="group" aria-label={`Changes of ${row.name}`}>
            <Button label={`Previous change of ${row.name}`} sign="◂" keys="p" on={() => jump_to_change(false)} />
            <span class="jump-name">{row.name}</span>
            <Button label={`Next change of ${row.name}`} sign="▸" keys="n" on={() => jump_to_change(true)} />
          </div>
        )}
        <LassoDrawing />
      </div>
      <div class="slider">
        <input
          type="range"
          id="position"
          min={0}
          max={run.length}
          value={p}
          aria-label="Position in the run"
          aria-valuetext={p === 0 ? "initial state" : `step ${p} of ${run.length}`}
          onInput={(event) => go_to(Number(event.currentTarget.value))}
        />
        <ChangeTicks />
        <output class="position" for="position">
          {p === 0 ? "initial state" : `step ${count(p)}`} <span class="quiet">of {count(run.length)}</span>
        </output>
      </div>
      <p class="now" aria-hidden="true">
        {arrows(step_sentence())}
      </p>
      <SpokenStep />
    </section>
  );
}

/** The keys of the player. Keys that a control under the focus needs itself are left to it. */
export function on_key(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  const writes =
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && target.type !== "range" && target.type !== "checkbox");
  if (writes) {
    if (event.key === "Escape") target.blur();
    return;
  }
  const slides = target instanceof HTMLInputElement && target.type === "range";
  const in_tabs = target.getAttribute("role") === "tab";
  const in_steps = target.closest(".steps, .sequence") !== null;
  const presses = target.closest("button, a, summary, [type=checkbox], [role=button]") !== null;
  switch (event.key) {
    case "ArrowRight":
    case "ArrowLeft":
      if (slides || in_tabs) return;
      if (event.key === "ArrowRight") step_forward();
      else step_back();
      break;
    case "ArrowDown":
    case "ArrowUp":
      if (!in_steps) return;
      if (event.key === "ArrowDown") step_forward();
      else step_back();
      break;
    case "Home":
    case "End":
      if (slides || in_tabs) return;
      go_to(event.key === "Home" ? 0 : (replay.value?.length ?? 0));
      break;
    case " ":
      if (presses) return;
      play(!playing.value);
      break;
    case "n":
      jump_to_change(true);
      break;
    case "p":
      jump_to_change(false);
      break;
    case "e":
      if (!explanation.value) return;
      whole_run.value = !whole_run.value;
      break;
    case "/": {
      const field = document.getElementById("filter-text");
      if (!field) return;
      field.focus();
      break;
    }
    default:
      return;
  }
  event.preventDefault();
}
