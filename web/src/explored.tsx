// The tab Explored: how the search went (levels, layers, states, memory and rate over time), and which processes and
// variables make the states.

import { useState } from "preact/hooks";
import { Chart, binary_steps } from "./chart";
import type { Exploration, Layer, TimePoint } from "./data";
import { type Share, rates, shares } from "./figures";
import { bytes, count, counted, seconds, short_count } from "./numbers";
import { Bar, Missing } from "./pieces";
import { report, view } from "./store";

function Levels({ levels }: { levels: number[] }) {
  const most = levels.reduce((a, b) => Math.max(a, b), 0);
  const sentence = `${counted(levels.length, "level")}; the largest is level ${count(levels.indexOf(most))} with ${counted(most, "new state")}.`;
  return (
    <Chart
      title="New states on each level of breadth-first search"
      sentence={sentence}
      whole
      x_name="level"
      x={levels.map((_, i) => i)}
      series={[{ name: "new states", values: levels, colour: "accent", bars: levels.length <= 120 }]}
    />
  );
}

function Layers({ layers }: { layers: Layer[] }) {
  // A search that begins anew has the first sweep again.
  const begins = (layer: Layer, i: number) =>
    i === 0 || layer.sweep !== layers[i - 1]?.sweep || BigInt(layer.progress) < BigInt(layers[i - 1]?.progress ?? 0);
  const sweeps = layers.filter(begins).length;
  const most = layers.reduce((a, layer) => Math.max(a, layer.stored), 0);
  const expanded = layers.reduce((a, layer) => a + layer.expanded, 0);
  const sentence = `${counted(layers.length, "layer")} in ${counted(sweeps, "sweep")}; at most ${counted(most, "state")} stored at a time, ${counted(expanded, "expansion")} in the layers shown.`;
  return (
    <Chart
      title="Layers and live states of the sweep"
      sentence={sentence}
      whole
      x_name="layer"
      x={layers.map((_, i) => i)}
      x_text={(i) => layers[Math.round(i)]?.progress ?? ""}
      series={[
        { name: "stored", values: layers.map((layer) => layer.stored), colour: "accent" },
        { name: "expanded", values: layers.map((layer) => layer.expanded), colour: "holds" },
        { name: "persistent", values: layers.map((layer) => layer.persistent), colour: "violated", dashed: true },
      ]}
    />
  );
}

function OverTime({ timeline }: { timeline: TimePoint[] }) {
  const t = timeline.map((point) => point.t);
  const last = timeline[timeline.length - 1];
  const most = timeline.reduce((a, point) => Math.max(a, point.states), 0);
  const rate = rates(timeline);
  const peak = timeline.reduce((a, point) => Math.max(a, point.memory_bytes), 0);
  const fastest = rate.reduce<number>((a, r) => Math.max(a, r ?? 0), 0);
  const phases = [...new Set(timeline.map((point) => [point.phase, point.engine].filter(Boolean).join(" with ")))].filter(
    Boolean,
  );
  const frontier = timeline.some((point) => point.frontier > 0);
  return (
    <>
      <Chart
        title="States over time"
        sentence={`Up to ${counted(most, "state")} in ${seconds(last?.t ?? 0)}. Phases: ${phases.join(", ") || "not recorded"}.`}
        x_name="time"
        x={t}
        x_text={(v) => seconds_axis(v)}
        series={[
          { name: "states", values: timeline.map((point) => point.states), colour: "accent" },
          ...(frontier
            ? [
                {
                  name: "waiting to be expanded",
                  values: timeline.map((point) => point.frontier),
                  colour: "cycle",
                  dashed: true,
                },
              ]
            : []),
        ]}
      />
      <Chart
        title="Memory over time"
        sentence={`At most ${bytes(peak)}.`}
        x_name="time"
        x={t}
        x_text={(v) => seconds_axis(v)}
        format={bytes}
        steps={binary_steps}
        series={[{ name: "memory", values: timeline.map((point) => point.memory_bytes), colour: "unknown" }]}
      />
      <Chart
        title="Rate"
        sentence={`At best ${short_count(Math.round(fastest))} states a second.`}
        x_name="time"
        x={t}
        x_text={(v) => seconds_axis(v)}
        format={(v) => short_count(Math.round(v))}
        series={[{ name: "states a second", values: rate, colour: "holds" }]}
      />
    </>
  );
}

function seconds_axis(value: number): string {
  return value === 0
    ? "0 s"
    : value < 0.001
      ? `${Number((value * 1e6).toPrecision(3))} µs`
      : value < 1
        ? `${Number((value * 1000).toPrecision(3))} ms`
        : value < 100
          ? `${Number(value.toPrecision(3))} s`
          : seconds(value);
}

function ShareTable({ list, name }: { list: Share[]; name: string }) {
  const [all, set_all] = useState(false);
  const most_distinct = Math.max(1, ...list.map((share) => share.distinct));
  const most_bits = Math.max(0.001, ...list.map((share) => share.entropy));
  const shown = all ? list.slice(0, 2000) : list.slice(0, 25);
  const with_values = list.some((share) => share.top !== "");
  return (
    <div class="table-scroll">
      <table class="data shares">
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col" class="figure">
              Values
            </th>
            <th scope="col" class="narrow-bar">
              <span class="sr-only">values as a bar</span>
            </th>
            <th scope="col" class="figure">
              Entropy
            </th>
            <th scope="col" class="narrow-bar">
              <span class="sr-only">entropy as a bar</span>
            </th>
            {with_values ? <th scope="col">Most frequent</th> : <td />}
          </tr>
        </thead>
        <tbody>
          {shown.map((share) => (
            <tr key={share.name}>
              <th scope="row">
                <code>{share.name}</code>
              </th>
              <td class="figure">{count(share.distinct)}</td>
              <td class="narrow-bar">
                <Bar part={Math.log2(share.distinct + 1) / Math.log2(most_distinct + 1)} label={`${share.distinct} values`} />
              </td>
              <td class="figure">{share.entropy.toFixed(2)} bits</td>
              <td class="narrow-bar">
                <Bar part={share.entropy / most_bits} label={`${share.entropy.toFixed(2)} bits`} />
              </td>
              <td class="top-values">{share.top}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.length > shown.length && !all && (
        <p>
          <button type="button" class="text" onClick={() => set_all(true)}>
            show {list.length > 2000 ? "the first 2,000" : `all ${count(list.length)}`}
          </button>
        </p>
      )}
    </div>
  );
}

function Makers({ exploration }: { exploration: Exploration }) {
  const { processes, variables, constant } = shares(view.value, exploration);
  if (processes.length === 0 && variables.length === 0) return null;
  return (
    <section aria-labelledby="makers">
      <h2 id="makers">What makes the states</h2>
      <p class="legend">
        Entropy says how much a part varies over the states: a variable of 3 bits multiplies them by up to 8. The parts at the
        top are where a smaller model saves most.
        {constant > 0 && ` ${counted(constant, "variable")} never change.`}
      </p>
      {processes.length > 0 && <ShareTable list={processes} name="Process" />}
      {variables.length > 0 && <ShareTable list={variables} name={view.value.is_net ? "Place" : "Variable"} />}
    </section>
  );
}

export function Explored() {
  const { exploration } = report.value;
  if (!exploration)
    return (
      <Missing what="Nothing is known about what was explored">
        The report was made from a saved answer or run only. <code>tideline check MODEL --report FILE.html</code> records
        levels, layers, states and memory while it searches.
      </Missing>
    );
  const { levels = [], layers = [], timeline = [] } = exploration;
  return (
    <div class="page wide">
      <section aria-labelledby="explored-title">
        <h2 id="explored-title">What was explored</h2>
        <p>
          {exploration.states > 0 && (
            <>
              <b>{counted(exploration.states, "state")}</b>, {counted(exploration.transitions, "transition")},{" "}
              {counted(exploration.deadlocks, "deadlock")}. {exploration.complete && "These are all reachable states. "}
            </>
          )}
          {exploration.how}
        </p>
        <div class="charts">
          {levels.length > 1 && <Levels levels={levels} />}
          {layers.length > 1 && <Layers layers={layers} />}
          {timeline.length > 2 && <OverTime timeline={timeline} />}
        </div>
        {levels.length <= 1 && layers.length <= 1 && timeline.length <= 2 && (
          <p class="quiet">The search was over too soon to draw its course.</p>
        )}
      </section>
      <Makers exploration={exploration} />
    </div>
  );
}
