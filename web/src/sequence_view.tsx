// The run as a sequence chart: a lane for each process, time goes down, messages are arrows from sender to receiver.

import type { ComponentChildren } from "preact";
import { cut } from "./drawing";
import { ExplanationView } from "./explanation_view";
import { count } from "./numbers";
import { Missing, arrows } from "./pieces";
import { Player } from "./player";
import { FilterBar } from "./filter_bar";
import { no_runs_text } from "./run_view";
import { type Arrow, type SequenceChart, arrow_label } from "./sequence";
import { folded_text } from "./step_list";
import { chart, explanation, go_to, listing, position, replay, view } from "./store";
import { VirtualList } from "./virtual_list";

const row_height = 34;
const gutter = 76;
const text_width = 460;
const text_length = 66;
const bar_text_length = 30;
const dot = 5;

// With more lanes than this the text stands beside the mark: a column at the far right would be out of sight.
const most_lanes_with_column = 6;

interface Place {
  lane_x: (lane: number) => number;
  step_y: (step: number) => number; // relative to the window
  has_row: (step: number) => boolean; // of its own: it is neither folded nor hidden by the filter
  width: number;
  beside: boolean; // texts stand beside the marks
}

function arrow_path(x1: number, y1: number, x2: number, y2: number): string {
  if (x1 !== x2) return `M${x1} ${y1}L${x2} ${y2}`;
  const bulge = 46; // a process that receives its own message
  return `M${x1} ${y1}C${x1 + bulge} ${y1},${x2 + bulge} ${y2},${x2} ${y2}`;
}

function ArrowShape({ arrow, place, current }: { arrow: Arrow; place: Place; current: number }) {
  const label = arrow_label(view.value, arrow);
  const name = (component: number) => (component < 0 ? "?" : view.value.component_name(component));
  const classes = `arrow${arrow.send_step === current || arrow.receive_step === current ? " current" : ""}`;
  if (arrow.send_step === 0 || arrow.receive_step === 0) {
    const sent = arrow.send_step !== 0;
    const x = place.lane_x(sent ? arrow.sender : arrow.receiver);
    const y = place.step_y(sent ? arrow.send_step : arrow.receive_step);
    const end = x + 34 > place.width ? x - 34 : x + 34;
    const end_y = sent ? y + row_height * 0.45 : y - row_height * 0.45;
    return (
      <g class={classes}>
        <title>
          {sent
            ? `${label}: sent by ${name(arrow.sender)}, still in the channel at the end of the run`
            : `${label}: in the channel from the start`}
        </title>
        <line
          x1={sent ? x : end}
          y1={sent ? y : end_y}
          x2={sent ? end : x}
          y2={sent ? end_y : y}
          class="open"
          marker-end={sent ? undefined : "url(#arrow-head)"}
        />
        <circle cx={end} cy={end_y} r="3" class="open-end" />
        <text x={end > x ? x + 12 : x - 12} y={sent ? y - 6 : y + 16} text-anchor={end > x ? "start" : "end"}>
          {label}
        </text>
      </g>
    );
  }
  const [x1, y1] = [place.lane_x(arrow.sender), place.step_y(arrow.send_step)];
  const [x2, y2] = [place.lane_x(arrow.receiver), place.step_y(arrow.receive_step)];
  const right = x2 >= x1;
  // The head stops at the dot of the receiving step.
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const cut = x1 === x2 ? 0 : (dot + 2) / length;
  const flat = arrow.send_step === arrow.receive_step;
  return (
    <g class={classes}>
      <title>{`${label}: from ${name(arrow.sender)} (step ${arrow.send_step}) to ${name(arrow.receiver)} (step ${arrow.receive_step})`}</title>
      <path
        d={arrow_path(x1, y1, x2 - (x2 - x1) * cut, y2 - (y2 - y1) * cut)}
        marker-end={`url(#arrow-head${arrow.send_step === current || arrow.receive_step === current ? "-current" : ""})`}
        class={flat ? "flat" : "slanted"}
      />
      <text
        x={flat ? (x1 + x2) / 2 : x1 + (right ? 12 : -12)}
        y={y1 - 6}
        text-anchor={flat ? "middle" : right ? "start" : "end"}
      >
        {label}
      </text>
    </g>
  );
}

function StepMarks({
  step,
  sequence,
  place,
  current,
}: {
  step: number;
  sequence: SequenceChart;
  place: Place;
  current: boolean;
}) {
  const { lanes, kind } = sequence.marks(step);
  const y = place.step_y(step);
  const xs = lanes.map(place.lane_x);
  return (
    <g class={`marks${current ? " current" : ""}`}>
      {kind === "together" && (
        <text x={(Math.min(...xs) + Math.max(...xs)) / 2} y={y - 7} text-anchor="middle" class="bar-text">
          {cut(view.value.action_label(replay.value?.step(step).a ?? -1), bar_text_length)}
        </text>
      )}
      {kind === "together" && (
        <rect
          x={Math.min(...xs) - dot}
          y={y - 3}
          width={Math.max(...xs) - Math.min(...xs) + 2 * dot}
          height="6"
          rx="3"
          class="bar-mark"
        />
      )}
      {lanes.map((lane, i) => (
        <circle key={lane} cx={xs[i]} cy={y} r={dot} class={`dot hue-${lane % 8}`} />
      ))}
    </g>
  );
}

/** The name of the process whose steps follow, on a line across the chart. */
function GroupName({ component, y, place }: { component: number; y: number; place: Place }) {
  return (
    <g class={`group-line hue-${component % 8}`}>
      <line x1="8" x2={place.width} y1={y + 4} y2={y + 4} />
      <text x={place.lane_x(component)} y={y} text-anchor="middle">
        {view.value.component_name(component)}
      </text>
    </g>
  );
}

function Rows({
  first,
  last,
  sequence,
  place,
  offset,
}: {
  first: number;
  last: number;
  sequence: SequenceChart;
  place: Place;
  offset: number;
}) {
  const run = replay.value;
  if (!run) return null;
  const current = position.value;
  const current_row = listing.value.row_of(current);
  const loop = run.is_lasso() ? (run.run.loop as number) : Infinity;
  const height = (last - first) * row_height;
  const lanes = view.value.model.components;
  const steps: number[] = [];
  const in_sight: [first: number, last: number] = [Infinity, -Infinity]; // steps, folded ones included
  const backs: ComponentChildren[] = [];
  const texts: ComponentChildren[] = [];
  for (let row = first; row < last; row++) {
    const entry = listing.value.entry(row);
    const top = row * row_height - offset;
    const y = top + row_height / 2;
    if (entry.kind === "group") {
      texts.push(<GroupName key={`g${entry.first}`} component={entry.component} y={y} place={place} />);
      continue;
    }
    const step = entry.kind === "step" ? entry.step : entry.first;
    in_sight[0] = Math.min(in_sight[0], step);
    in_sight[1] = Math.max(in_sight[1], entry.kind === "step" ? entry.step : entry.last);
    backs.push(
      <rect
        key={step}
        class={`hit${row === current_row ? " current" : ""}`}
        {...(entry.kind === "step" ? { "data-step": step } : { "data-folded": step })}
        x="0"
        y={top}
        width="100%"
        height={row_height}
        onClick={() => go_to(step)}
      />,
    );
    if (step > loop) backs.push(<rect key={`c${step}`} class="cycle-rail" x="0" y={top} width="4" height={row_height} />);
    if (entry.kind === "folded") {
      texts.push(
        <text key={`f${step}`} class="folded-steps" x={gutter} y={y + 4}>
          ⋮ {folded_text(entry.first, entry.last)}
        </text>,
      );
      continue;
    }
    steps.push(step);
    if (entry.begins && row > 0)
      backs.push(<line key={`b${step}`} class="group-start" x1="8" x2={place.width} y1={top} y2={top} />);
    texts.push(
      <text key={step} class={`step-number${step === current ? " current" : ""}`} x={gutter - 24} y={y + 4} text-anchor="end">
        {step === current ? "▶ " : ""}
        {step === loop + 1 ? "↻ " : ""}
        {explanation.value?.steps.has(step) && <tspan class="matters">◆ </tspan>}
        {count(step)}
      </text>,
    );
    const label = arrows(view.value.action_label(run.step(step).a));
    const { lanes: movers, kind } = sequence.marks(step);
    // A bar across lanes has its name on it, where that fits.
    if (place.beside && kind === "together" && label.length <= bar_text_length) continue;
    const right_lane = Math.max(-1, ...movers);
    const text_x = place.beside && right_lane >= 0 ? place.lane_x(right_lane) + 10 : place.width + 8;
    texts.push(
      <text key={`t${step}`} class={`step-text${place.beside ? " beside" : ""}`} x={text_x} y={y + (place.beside ? 14 : 4)}>
        {label.length > text_length ? `${label.slice(0, text_length - 1)}…` : label}
        {label.length > text_length && <title>{label}</title>}
      </text>,
    );
  }
  const local: Place = { ...place, step_y: (step) => place.step_y(step) - offset };
  return (
    <svg style={{ minWidth: `${place.width + text_width}px` }} width="100%" height={height} aria-hidden="true">
      <defs>
        {["", "-current"].map((kind) => (
          <marker
            key={kind}
            id={`arrow-head${kind}`}
            class={`tip${kind}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="10"
            markerHeight="10"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
          >
            <path d="M0 0L10 5L0 10z" />
          </marker>
        ))}
      </defs>
      {backs}
      {lanes.map((_, lane) => (
        <line key={lane} class="lane" x1={place.lane_x(lane)} x2={place.lane_x(lane)} y1="0" y2={height} />
      ))}
      {sequence
        .arrows_in(...in_sight)
        .filter((arrow) => place.has_row(arrow.send_step) || place.has_row(arrow.receive_step))
        .map((arrow) => (
          <ArrowShape
            key={`${arrow.send_step}-${arrow.receive_step}-${arrow.channel}`}
            arrow={arrow}
            place={local}
            current={current}
          />
        ))}
      {steps.map((step) => (
        <StepMarks key={step} step={step} sequence={sequence} place={local} current={step === current} />
      ))}
      {texts}
    </svg>
  );
}

export function SequenceView() {
  const run = replay.value;
  const sequence = chart.value;
  if (!run || !sequence) return <Missing what="This report has no run">{no_runs_text()}</Missing>;
  const lanes = view.value.model.components;
  if (lanes.length === 0)
    return (
      <Missing what="This model has no processes">
        A sequence chart shows who sends what to whom.{" "}
        {view.value.is_net ? "A Petri net has places and transitions only; " : ""}
        <a href="#run">the tab Run</a> shows the run step by step.
      </Missing>
    );
  const rows = listing.value;
  const spacing = lanes.length <= 4 ? 190 : lanes.length <= 8 ? 150 : 120;
  const width = gutter + lanes.length * spacing;
  const has_row = (step: number) => {
    const row = rows.row_of(step);
    const entry = row < 0 ? undefined : rows.entry(row);
    return entry?.kind === "step" && entry.step === step;
  };
  const place: Place = {
    lane_x: (lane) => gutter + (lane + 0.5) * spacing,
    step_y: (step) => {
      const row = rows.row_of(step);
      const in_row = has_row(step) || (row >= 0 && rows.entry(row).kind === "folded");
      return (row + (in_row ? 0.5 : 1)) * row_height;
    },
    has_row,
    width,
    beside: lanes.length > most_lanes_with_column,
  };
  return (
    <div class="sequence-view">
      <Player />
      <FilterBar />
      <ExplanationView open={false} />
      <section class="pane" aria-label="Sequence chart">
        <VirtualList
          class="sequence"
          role="region"
          tabIndex={0}
          aria-label="Sequence chart; the text of the current step is read out by the player"
          count={rows.count}
          row_height={row_height}
          follow={rows.row_of(position.value)}
          header={
            <div class="lanes" style={{ minWidth: `${width + text_width}px` }}>
              {lanes.map((lane, i) => (
                <span
                  key={i}
                  class={`lane-name chip hue-${i % 8}`}
                  style={{ left: `${place.lane_x(i)}px`, maxWidth: `${spacing - 8}px` }}
                  title={lane.name}
                >
                  {lane.name}
                </span>
              ))}
            </div>
          }
          render={(first, last) => (
            <Rows first={first} last={last} sequence={sequence} place={place} offset={first * row_height} />
          )}
        />
        {rows.count === 0 && (
          <p class="quiet scroll-note">
            {run.length === 0 ? "The run has no steps: its initial state is all of it." : "No step matches the filter."}
          </p>
        )}
      </section>
    </div>
  );
}
