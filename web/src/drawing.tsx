// A graph drawn as SVG that can be zoomed and moved: with the wheel and the mouse, with buttons, with the keyboard.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Layout, by_forces, fits_layers, in_layers, smooth_path } from "./layout";

export interface DrawnNode {
  label: string;
  width: number;
  height: number;
  round?: boolean;
  classes: string;
  title: string;
}

export interface DrawnEdge {
  from: number;
  to: number;
  label: string;
  classes: string;
  title: string;
}

interface Properties {
  name: string; // for screen readers
  nodes: DrawnNode[];
  edges: DrawnEdge[];
  first: number[]; // nodes at the start
  focus?: number; // a node to keep in sight
  tall?: boolean;
  on_node?: (node: number) => void;
  children?: ComponentChildren;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function Drawing({ name, nodes, edges, first, focus, tall, on_node, children }: Properties) {
  // The layout depends on the shape only: colours change with every step of the player, places do not.
  const shape = `${name} ${nodes.map((n) => n.label).join("|")} ${edges.map((e) => `${e.from}-${e.to}-${e.label}`).join("|")}`;
  const [drawn, set_drawn] = useState<{ shape: string; layout: Layout } | undefined>(undefined);
  const [box, set_box] = useState<Box>({ x: 0, y: 0, width: 100, height: 100 });
  const frame = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; y: number; moved: boolean } | undefined>(undefined);

  const fit = (layout: Layout, least_scale = 0) => {
    // A small graph keeps its size instead of filling the frame.
    const [w, h] = [frame.current?.clientWidth || 800, frame.current?.clientHeight || 500];
    const scale = Math.max(least_scale, Math.min(1.25, w / layout.width, h / layout.height));
    const [width, height] = [w / scale, h / scale];
    // What does not fit is shown around the node in focus, up to the border of the drawing.
    const [fx, fy] = layout.nodes[focus ?? first[0] ?? 0] ?? [0, 0];
    const start = (middle: number, shown: number, whole: number) =>
      shown >= whole ? (whole - shown) / 2 : Math.max(0, Math.min(whole - shown, middle - shown / 2));
    set_box({ x: start(fx, width, layout.width), y: start(fy, height, layout.height), width, height });
  };
  useEffect(() => {
    // After a pause, so that the page shows at once and says what it is doing.
    const timer = setTimeout(() => {
      let layout = fits_layers(nodes.length, edges.length) ? in_layers(nodes, edges) : by_forces(nodes, edges, first);
      // Frames are wide: a graph that is long is drawn from left to right.
      if (layout.height > 1.2 * layout.width && layout.height > 500) layout = in_layers(nodes, edges, true);
      set_drawn({ shape, layout });
    }, 10);
    return () => clearTimeout(timer);
  }, [shape]);
  // The frame takes the height of its drawing first, then the drawing is fitted into it.
  useLayoutEffect(() => {
    // Names must be readable at first sight, even if not all of a large graph is seen then.
    if (drawn) fit(drawn.layout, nodes.some((node) => node.round) ? 0 : 0.6);
  }, [drawn]);
  useEffect(() => {
    const place = focus === undefined ? undefined : drawn?.layout.nodes[focus];
    if (!place) return;
    const [x, y] = place;
    set_box((old) =>
      x >= old.x && x <= old.x + old.width && y >= old.y && y <= old.y + old.height
        ? old
        : { ...old, x: x - old.width / 2, y: y - old.height / 2 },
    );
  }, [focus]);

  const zoom = (factor: number, cx = 0.5, cy = 0.5) =>
    set_box((old) => {
      const width = Math.max(60, Math.min(old.width * factor, 100000));
      const height = (old.height * width) / old.width;
      return { x: old.x + (old.width - width) * cx, y: old.y + (old.height - height) * cy, width, height };
    });
  const on_key = (event: KeyboardEvent) => {
    const moves: Record<string, () => void> = {
      "+": () => zoom(0.8),
      "=": () => zoom(0.8),
      "-": () => zoom(1.25),
      "0": () => drawn && fit(drawn.layout),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  const layout = drawn?.shape === shape ? drawn.layout : undefined;
  const paths = useMemo(() => layout?.edges.map((edge) => smooth_path(edge.points)), [layout]);
  const labels = nodes.length <= 120;
  // Edges of the run lie above the others.
  const order = [...edges.keys()].sort((a, b) => Number(is_strong(edges[a])) - Number(is_strong(edges[b])));

  return (
    <div
      class={`drawing${tall ? " tall" : ""}${edges.length > 300 ? " dense" : ""}`}
      style={
        layout && !tall
          ? { minHeight: `${Math.max(170, Math.min(nodes.length > 10 ? 640 : 440, layout.height * 1.25 + 24))}px` }
          : undefined
      }
      ref={frame}
      onKeyDown={on_key}
    >
      {layout ? (
        <svg
          role="group"
          aria-label={name}
          viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
          onWheel={(event) => {
            if (!event.ctrlKey && !event.metaKey && !tall) return;
            event.preventDefault();
            const area = event.currentTarget.getBoundingClientRect();
            zoom(
              event.deltaY > 0 ? 1.15 : 0.87,
              (event.clientX - area.left) / area.width,
              (event.clientY - area.top) / area.height,
            );
          }}
          onPointerDown={(event) => {
            drag.current = { x: event.clientX, y: event.clientY, moved: false };
          }}
          onPointerMove={(event) => {
            const from = drag.current;
            if (!from || event.buttons === 0) return;
            const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
            if (!from.moved && Math.hypot(dx, dy) < 4) return;
            drag.current = { x: event.clientX, y: event.clientY, moved: true };
            const scale = box.width / event.currentTarget.clientWidth;
            set_box((old) => ({ ...old, x: old.x - dx * scale, y: old.y - dy * scale }));
          }}
        >
          <defs>
            {["plain", "strong", "faint"].map((kind) => (
              <marker
                key={kind}
                id={`head-${kind}`}
                viewBox="0 0 10 10"
                refX="9"
                refY="5"
                markerWidth="8"
                markerHeight="8"
                markerUnits="userSpaceOnUse"
                orient="auto-start-reverse"
                class={`head ${kind}`}
              >
                <path d="M0 0L10 5L0 10z" />
              </marker>
            ))}
          </defs>
          <g>
            {order.map((i) => {
              const edge = edges[i] as DrawnEdge;
              const kind = is_strong(edge) ? "strong" : edge.classes.includes("never") ? "faint" : "plain";
              return (
                <g key={i} class={`edge ${edge.classes}`}>
                  <title>{edge.title}</title>
                  <path d={paths?.[i]} marker-end={`url(#head-${kind})`} />
                  {labels && edge.label && (
                    <text x={layout.edges[i]?.label[0]} y={(layout.edges[i]?.label[1] ?? 0) + 4} text-anchor="middle">
                      {edge.label}
                    </text>
                  )}
                </g>
              );
            })}
          </g>
          {nodes.map((node, i) => {
            const [x, y] = layout.nodes[i] ?? [0, 0];
            const choose = on_node && (() => !drag.current?.moved && on_node(i));
            return (
              <g
                key={i}
                class={`node ${node.classes}`}
                transform={`translate(${x} ${y})`}
                role={on_node ? "button" : undefined}
                tabindex={on_node && nodes.length <= 150 ? 0 : undefined}
                aria-label={node.title}
                onClick={choose}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" || !on_node) return;
                  event.preventDefault();
                  on_node(i);
                }}
              >
                <title>{node.title}</title>
                {node.round ? (
                  <circle r={node.width / 2} />
                ) : (
                  <rect x={-node.width / 2} y={-node.height / 2} width={node.width} height={node.height} rx="7" />
                )}
                {node.label && (
                  <text y="4" text-anchor="middle">
                    {node.label}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      ) : (
        <p class="quiet drawing-wait" role="status">
          Drawing {nodes.length} nodes…
        </p>
      )}
      <div class="zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(0.8)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" title="Zoom out (-)" onClick={() => zoom(1.25)}>
          −
        </button>
        <button type="button" title="Show all of it (0)" onClick={() => drawn && fit(drawn.layout)}>
          Fit
        </button>
      </div>
      {children}
    </div>
  );
}

function is_strong(edge: DrawnEdge | undefined): boolean {
  return edge !== undefined && (edge.classes.includes("on-run") || edge.classes.includes("current"));
}

/** A label cut to a length at which it can be drawn. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The width of a box around a text. */
export function box_width(text: string): number {
  return Math.max(34, text.length * 7.4 + 18);
}
