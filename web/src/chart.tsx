// A chart by uPlot with a sentence and a table that say the same.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { count, short_count } from "./numbers";
import { theme } from "./theme";
import { thinned } from "./thinned";

export interface Series {
  name: string;
  values: (number | null)[];
  colour: string; // a variable of the style sheet
  bars?: boolean;
  dashed?: boolean;
}

interface Properties {
  title: string;
  sentence: string;
  x_name: string;
  x: number[];
  x_text?: (value: number) => string;
  whole?: boolean; // only whole numbers on the axis of x
  series: Series[];
  format?: (value: number) => string;
  steps?: number[]; // between the lines of the axis of y
}

/** Of bytes: 1, 2, 4, ... */
export const binary_steps = Array.from({ length: 50 }, (_, power) => 2 ** power);

const most_rows = 60;
const height = 220;
const whole_steps = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));

function axis(format: (value: number) => string, grid: string, text: string): uPlot.Axis {
  return {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font: "12px system-ui, sans-serif",
    values: (_, splits) => splits.map((v) => (v === null ? "" : format(v))),
  };
}

function make(
  element: HTMLElement,
  width: number,
  { x, x_name, x_text, whole, series, format = short_count, steps }: Properties,
): uPlot {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const fill = (name: string) => `${colour(name)}33`;
  const bars = uPlot.paths.bars?.({ size: [0.9, 60] });
  return new uPlot(
    {
      width,
      height,
      cursor: { points: { size: 6 } },
      legend: { live: true },
      scales: {
        // Bars stand around their value.
        x: { time: false, ...(series.some((s) => s.bars) ? { range: (_, min, max) => [min - 0.5, max + 0.5] } : {}) },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.06 : 1] },
      },
      axes: [
        { ...axis(x_text ?? short_count, colour("line"), colour("quiet")), ...(whole ? { incrs: whole_steps } : {}) },
        { ...axis(format, colour("line"), colour("quiet")), size: 66, ...(steps ? { incrs: steps } : {}) },
      ],
      series: [
        { label: x_name, value: (_, v: number | null) => (v === null ? "–" : (x_text ?? count)(v)) },
        ...series.map((s): uPlot.Series => ({
          label: s.name,
          stroke: colour(s.colour),
          width: s.bars ? 1 : 2,
          fill: s.bars || series.length === 1 ? fill(s.colour) : undefined,
          ...(s.dashed ? { dash: [6, 4] } : {}),
          ...(s.bars && bars ? { paths: bars } : {}),
          points: { show: false },
          value: (_: uPlot, v: number | null) => (v === null ? "–" : format(v)),
        })),
      ],
    },
    [x, ...series.map((s) => s.values)] as uPlot.AlignedData,
    element,
  );
}

export function Chart(properties: Properties) {
  const { title, sentence, x_name, x, x_text = count, series, format = count } = properties;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const colours = theme.value;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    plot.current = make(element, Math.max(260, element.clientWidth), properties);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: Math.max(260, element.clientWidth), height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [colours, series.length]);
  useEffect(() => plot.current?.setData([x, ...series.map((s) => s.values)] as uPlot.AlignedData), [x, series]);
  const rows = thinned(x.length, most_rows);
  return (
    <figure class="chart pane">
      <h3 class="pane-title">{title}</h3>
      <div ref={place} role="img" aria-label={`${title}. ${sentence}`} class="plot" />
      <figcaption>
        <p>{sentence}</p>
        <details>
          <summary>As a table{rows.length < x.length ? ` (${rows.length} of ${count(x.length)} rows)` : ""}</summary>
          <div class="table-scroll chart-table">
            <table class="data">
              <thead>
                <tr>
                  <th scope="col" class="figure">
                    {x_name}
                  </th>
                  {series.map((s) => (
                    <th scope="col" class="figure">
                      {s.name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((i) => (
                  <tr key={i}>
                    <th scope="row" class="figure">
                      {x_text(x[i] ?? 0)}
                    </th>
                    {series.map((s) => {
                      const value = s.values[i];
                      return <td class="figure">{value === null || value === undefined ? "–" : format(value)}</td>;
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      </figcaption>
    </figure>
  );
}
