// Places for the nodes and edges of a graph. Small graphs are drawn in layers by dagre, with room for labels; larger
// ones, for which that takes too long and too much room, by forces that keep a node near the height of its distance
// from the start.

import dagre from "@dagrejs/dagre";
import { type SimulationNodeDatum, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";

export interface NodeShape {
  width: number;
  height: number;
  round?: boolean;
}

export interface EdgeShape {
  from: number;
  to: number;
  label: string;
}

export type Point = [x: number, y: number];

export interface Layout {
  nodes: Point[]; // centres
  edges: { points: Point[]; label: Point }[];
  width: number;
  height: number;
}

const character = 6.6; // width of a character of a label, in pixels

export function in_layers(nodes: NodeShape[], edges: EdgeShape[], from_left = false): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: from_left ? "LR" : "TB", nodesep: 26, ranksep: 42, edgesep: 14, marginx: 12, marginy: 12 });
  nodes.forEach((node, i) => graph.setNode(String(i), { width: node.width, height: node.height }));
  edges.forEach((edge, i) =>
    graph.setEdge(
      String(edge.from),
      String(edge.to),
      { width: edge.label.length * character + (edge.from === edge.to ? 40 : 0), height: edge.label ? 15 : 0, labelpos: "c" },
      `e${i}`,
    ),
  );
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const node_places = nodes.map((_, i): Point => {
    const place = graph.node(String(i)) as { x: number; y: number };
    return [place.x, place.y];
  });
  const loops: number[] = []; // loops drawn so far, by node
  return {
    nodes: node_places,
    edges: edges.map((edge, i) => {
      if (edge.from === edge.to) {
        const loop = loop_at(
          node_places[edge.from] ?? [0, 0],
          nodes[edge.from] ?? { width: 0, height: 0 },
          loops[edge.from] ?? 0,
        );
        loops[edge.from] = (loops[edge.from] ?? 0) + 1;
        return { points: loop.points, label: [loop.border + 24 + (edge.label.length * character) / 2, loop.points[0]![1] + 6] };
      }
      const place = graph.edge(String(edge.from), String(edge.to), `e${i}`) as {
        points: { x: number; y: number }[];
        x?: number;
        y?: number;
      };
      const points = place.points.map(({ x, y }): Point => [x, y]);
      const middle = points[Math.floor(points.length / 2)] ?? [0, 0];
      return { points, label: [place.x ?? middle[0], place.y ?? middle[1]] };
    }),
    width,
    height,
  };
}

/** Distance of every node from the first ones; nodes that cannot be reached count as one further than all others. */
export function distances(count: number, edges: EdgeShape[], first: number[]): number[] {
  const next: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) next[from]?.push(to);
  const result = new Array<number>(count).fill(-1);
  let level = [...new Set(first)];
  let distance = 0;
  for (const node of level) result[node] = 0;
  while (level.length > 0) {
    distance++;
    const after: number[] = [];
    for (const node of level)
      for (const to of next[node] ?? [])
        if (result[to] === -1) {
          result[to] = distance;
          after.push(to);
        }
    level = after;
  }
  return result.map((d) => (d < 0 ? distance : d));
}

export function by_forces(nodes: NodeShape[], edges: EdgeShape[], first: number[], ticks = 160): Layout {
  const levels = distances(nodes.length, edges, first);
  const rows: number[] = [];
  // Start in rows, so that the result is the same every time and the forces have little to untangle.
  const points = nodes.map((node, i): SimulationNodeDatum & { radius: number; level: number } => {
    const level = levels[i] ?? 0;
    const place = (rows[level] = (rows[level] ?? 0) + 1);
    return { x: (place % 2 === 0 ? place : -place) * 12, y: level * 60, radius: Math.max(node.width, node.height) / 2, level };
  });
  const links = edges.filter((edge) => edge.from !== edge.to).map((edge) => ({ source: edge.from, target: edge.to }));
  const row_height = 46 + Math.min(60, Math.max(...rows.map((n) => n || 0), 1));
  const simulation = forceSimulation(points)
    .force("link", forceLink(links).distance(44).strength(0.25))
    .force("charge", forceManyBody().strength(-90).distanceMax(400))
    .force(
      "collide",
      forceCollide<(typeof points)[number]>((point) => point.radius + 5),
    )
    .force("x", forceX(0).strength(0.03))
    .force("y", forceY<(typeof points)[number]>((point) => point.level * row_height).strength(0.9))
    .stop();
  simulation.tick(ticks);
  const places = into_frame(points.map((point): Point => [point.x ?? 0, point.y ?? 0]));
  return {
    nodes: places,
    edges: edges.map((edge) => {
      const curve = curve_between(
        places[edge.from] ?? [0, 0],
        places[edge.to] ?? [0, 0],
        nodes[edge.from] ?? dot,
        nodes[edge.to] ?? dot,
      );
      return { points: curve, label: curve[1] ?? [0, 0] };
    }),
    width: Math.max(...places.map(([x]) => x)) + frame_margin,
    height: Math.max(...places.map(([, y]) => y)) + frame_margin,
  };
}

const frame_margin = 30;
const dot: NodeShape = { width: 16, height: 16 };

/** How far the border of a node is from its middle, in a direction. */
function to_border({ width, height, round }: NodeShape, ux: number, uy: number): number {
  if (round) return width / 2;
  return Math.min(width / 2 / Math.max(Math.abs(ux), 1e-9), height / 2 / Math.max(Math.abs(uy), 1e-9));
}

/** Moves the points into the positive quadrant. A drawing higher than wide is turned, so that time goes to the right, and
    the shorter side is stretched: frames are wide, and stretching makes room between nodes that keep their size. */
function into_frame(points: Point[]): Point[] {
  const span = (axis: 0 | 1, list: Point[]) =>
    Math.max(1, Math.max(...list.map((p) => p[axis])) - Math.min(...list.map((p) => p[axis])));
  const turned = span(1, points) > span(0, points) ? points.map(([x, y]): Point => [y, x]) : points;
  const ratio = span(0, turned) / span(1, turned);
  const [sx, sy] = [Math.min(2, Math.max(1, 1.4 / ratio)), Math.min(3, Math.max(1, ratio / 2.2))];
  const [left, top] = [Math.min(...turned.map(([x]) => x)), Math.min(...turned.map(([, y]) => y))];
  return turned.map(([x, y]) => [(x - left) * sx + frame_margin, (y - top) * sy + frame_margin]);
}

/** A loop at the right border of a node; several at one node go below each other. */
function loop_at([x, y]: Point, { width }: NodeShape, index: number): { points: Point[]; border: number } {
  const border = x + width / 2;
  const middle = y + index * 16;
  return {
    points: [
      [border - 1, middle - 6],
      [border + 26, middle - 13],
      [border + 26, middle + 13],
      [border, middle + 6],
    ],
    border,
  };
}

/** Three points of a slightly bent edge from border to border, so that edges in both directions do not cover each other. */
function curve_between(a: Point, b: Point, shape_a: NodeShape, shape_b: NodeShape): Point[] {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy);
  if (length < 1)
    return [
      [a[0] + shape_a.width / 2, a[1] - 3],
      [a[0] + shape_a.width / 2 + 20, a[1]],
      [a[0] + shape_a.width / 2, a[1] + 3],
    ];
  const [ux, uy] = [dx / length, dy / length];
  const [start, end] = [to_border(shape_a, ux, uy), to_border(shape_b, ux, uy) + 2];
  return [
    [a[0] + ux * start, a[1] + uy * start],
    [(a[0] + b[0]) / 2 - uy * length * 0.08, (a[1] + b[1]) / 2 + ux * length * 0.08],
    [b[0] - ux * end, b[1] - uy * end],
  ];
}

/** Whether the layout in layers is fast enough. */
export function fits_layers(nodes: number, edges: number): boolean {
  return nodes + edges <= 260;
}

/** A smooth path through the points. */
export function smooth_path(points: Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  if (rest.length < 2) return `M${first.join(" ")}${rest.map((point) => `L${point.join(" ")}`).join("")}`;
  let path = `M${first.map(round).join(" ")}`;
  for (let i = 0; i < rest.length - 1; i++) {
    const point = rest[i] as Point;
    const next = rest[i + 1] as Point;
    const end: Point = i === rest.length - 2 ? next : [(point[0] + next[0]) / 2, (point[1] + next[1]) / 2];
    path += `Q${point.map(round).join(" ")} ${end.map(round).join(" ")}`;
  }
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
