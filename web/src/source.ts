// The model's text by line: what to mark in a step, how often each line was taken, and a light colouring of comments,
// keywords and numbers.

import type { Exploration, Model } from "./data";

export interface Token {
  text: string;
  kind: "" | "comment" | "keyword" | "number";
}

/** How often the actions of each line were taken; lines without actions have no entry. */
export function line_counts(model: Model, exploration: Exploration | undefined): Map<number, number> {
  const counts = new Map<number, number>();
  if (!exploration) return counts;
  const add = (line: number, taken: number) => {
    if (line > 0) counts.set(line, (counts.get(line) ?? 0) + taken);
  };
  model.actions.forEach((action, a) => {
    const lines = action.participants.length > 0 ? action.participants.map((p) => p.line) : [action.line];
    for (const line of new Set(lines)) add(line, exploration.actions[a] ?? 0);
  });
  // What a process does in several locations has a line, and a count, for each.
  exploration.edges?.forEach((edges, component) =>
    edges.forEach((taken, e) => {
      const edge = model.components[component]?.edges[e];
      const part = edge && model.actions[edge.action]?.participants.find((p) => p.component === component);
      if (part?.line === 0) add(edge?.line ?? 0, taken);
    }),
  );
  return counts;
}

const keywords: Record<string, string> = {
  dve: "process state init trans guard effect sync accept commit assert system async property channel const byte int true false and or not imply",
  psl: "process const range channel system when forall if then else hide rename let in stop init",
};

const comment_marks: Record<string, [open: string, close: string]> = {
  pnml: ["<!--", "-->"],
};

/** The text in lines, each in tokens. */
export function tokens_of(source: string, language: string): Token[][] {
  const words = new Set((keywords[language] ?? keywords.dve ?? "").split(" "));
  const [open, close] = comment_marks[language] ?? ["/*", "*/"];
  const xml = open === "<!--";
  let in_comment = false;
  return source.replace(/\n$/, "").split(/\r?\n/).map((line) => {
    const tokens: Token[] = [];
    let rest = line;
    while (rest !== "") {
      if (in_comment) {
        const end = rest.indexOf(close);
        const length = end < 0 ? rest.length : end + close.length;
        tokens.push({ text: rest.slice(0, length), kind: "comment" });
        in_comment = end < 0;
        rest = rest.slice(length);
        continue;
      }
      const line_comment = xml ? -1 : rest.indexOf("//");
      const block_comment = rest.indexOf(open);
      const starts = [line_comment, block_comment].filter((at) => at >= 0);
      const code_end = starts.length > 0 ? Math.min(...starts) : rest.length;
      for (const piece of rest.slice(0, code_end).match(/[A-Za-z_]\w*|\d+|[^A-Za-z_\d]+/g) ?? [])
        tokens.push({ text: piece, kind: !xml && words.has(piece) ? "keyword" : !xml && /^\d/.test(piece) ? "number" : "" });
      if (code_end === rest.length) break;
      if (code_end === line_comment) {
        tokens.push({ text: rest.slice(code_end), kind: "comment" });
        break;
      }
      tokens.push({ text: open, kind: "comment" });
      rest = rest.slice(code_end + open.length);
      in_comment = true;
    }
    return tokens;
  });
}
