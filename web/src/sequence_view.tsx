// The run as a sequence chart: a lane for each process, time goes down, messages are arrows from sender to receiver.

import type { ComponentChildren } from "preact";
import { cut } from "./drawing";
import { index_of_step } from "./filter";
import { count } from "./numbers";
import { Missing, arrows } from "./pieces";
import { Player } from "./player";
import { FilterBar } from "./filter_bar";
import { no_runs_text } from "./run_view";
import { type Arrow, type SequenceChart, arrow_label } from "./sequence";
import { chart, go_to, position, replay, shown_steps, view } from "./store";
import { VirtualList } from "./virtual_list";

const row_height = 34;
const gutter = 76;
const text_width = 460;
const text_length = 66;
const dot = 5;

// With more lanes than this the text stands beside the mark: a column at the far right would be out of sight.
const most_lanes_with_column = 6;

interface Place {
  lane_x: (lane: number) => number;
  step_y: (step: number) => number; // relative to the window
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
          {cut(view.value.action_label(replay.value?.step(step).a ?? -1), 30)}
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

function Rows({
  first,
  last,
  steps,
  sequence,
  place,
  offset,
}: {
  first: number;
  last: number;
  steps: Int32Array | undefined;
  sequence: SequenceChart;
  place: Place;
  offset: number;
}) {
  const run = replay.value;
  if (!run) return null;
  const current = position.value;
  const loop = run.is_lasso() ? (run.run.loop as number) : Infinity;
  const list: number[] = [];
  for (let i = first; i < last; i++) list.push(steps ? (steps[i] as number) : i + 1);
  const height = (last - first) * row_height;
  const lanes = view.value.model.components;
  const backs: ComponentChildren[] = [];
  const texts: ComponentChildren[] = [];
  for (const step of list) {
    const y = place.step_y(step) - offset;
    backs.push(
      <rect
        key={step}
        class={`hit${step === current ? " current" : ""}`}
        data-step={step}
        x="0"
        y={y - row_height / 2}
        width="100%"
        height={row_height}
        onClick={() => go_to(step)}
      />,
    );
    if (step > loop)
      backs.push(<rect key={`c${step}`} class="cycle-rail" x="0" y={y - row_height / 2} width="4" height={row_height} />);
    texts.push(
      <text key={step} class={`step-number${step === current ? " current" : ""}`} x={gutter - 24} y={y + 4} text-anchor="end">
        {step === current ? "▶ " : ""}
        {step === loop + 1 ? "↻ " : ""}
        {count(step)}
      </text>,
    );
    const label = arrows(view.value.action_label(run.step(step).a));
    const right_lane = Math.max(-1, ...sequence.marks(step).lanes);
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
      {list.length > 0 &&
        sequence
          .arrows_in(list[0] as number, list[list.length - 1] as number)
          .map((arrow) => (
            <ArrowShape
              key={`${arrow.send_step}-${arrow.receive_step}-${arrow.channel}`}
              arrow={arrow}
              place={local}
              current={current}
            />
          ))}
      {list.map((step) => (
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
  const steps = shown_steps.value;
  const rows = steps ? steps.length : run.length;
  const spacing = lanes.length <= 4 ? 190 : lanes.length <= 8 ? 150 : 120;
  const width = gutter + lanes.length * spacing;
  const place: Place = {
    lane_x: (lane) => gutter + (lane + 0.5) * spacing,
    step_y: (step) => {
      if (!steps) return (step - 0.5) * row_height;
      const at = index_of_step(steps, step);
      return (at + (steps[at] === step ? 0.5 : 1)) * row_height;
    },
    width,
    beside: lanes.length > most_lanes_with_column,
  };
  const follow = steps ? index_of_step(steps, position.value) : position.value - 1;
  return (
    <div class="sequence-view">
      <Player />
      <FilterBar />
      <section class="pane" aria-label="Sequence chart">
        <VirtualList
          class="sequence"
          role="region"
          tabIndex={0}
          aria-label="Sequence chart; the text of the current step is read out by the player"
          count={rows}
          row_height={row_height}
          follow={follow}
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
            <Rows first={first} last={last} steps={steps} sequence={sequence} place={place} offset={first * row_height} />
          )}
        />
        {rows === 0 && (
          <p class="quiet scroll-note">
            {run.length === 0 ? "The run has no steps: its initial state is all of it." : "No step matches the filter."}
          </p>
        )}
      </section>
    </div>
  );
}
