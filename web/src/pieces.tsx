// Small pieces that several views share.

import type { ComponentChildren } from "preact";
import type { Verdict } from "./data";
import { go_to, report, select_run, tab, view } from "./store";

const verdict_signs: Record<Verdict | "none", [sign: string, word: string]> = {
  holds: ["✓", "holds"],
  violated: ["✗", "violated"],
  unknown: ["?", "unknown"],
  none: ["·", "no property"],
};

export function VerdictMark({ verdict, large }: { verdict: Verdict | "none"; large?: boolean }) {
  const [sign, word] = verdict_signs[verdict];
  return (
    <span class={`verdict ${verdict}${large ? " large" : ""}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

/** What a tab says when the report has nothing for it. */
export function Missing({ what, children }: { what: string; children: ComponentChildren }) {
  return (
    <section class="missing">
      <h2>{what}</h2>
      <p>{children}</p>
    </section>
  );
}

/** A process's name on its colour; the colour only repeats what the name says. */
export function ProcessChip({ component }: { component: number }) {
  return <span class={`chip hue-${component % 8}`}>{view.value.component_name(component)}</span>;
}

export function arrows(text: string): string {
  return text.replace(/->/g, "→");
}

/** A label with the processes that move as chips, each before what it does where the label says so. */
export function ActionText({ action }: { action: number }) {
  const label = view.value.action_label(action);
  const movers = view.value.movers(action);
  const moves = view.value.moves(action);
  if (moves)
    return (
      <span class="action" title={label}>
        {moves.map(({ component, text }) => (
          <>
            <ProcessChip component={component} />
            <span class="what">{arrows(text)}</span>
          </>
        ))}
      </span>
    );
  return (
    <span class="action" title={label}>
      {movers.slice(0, 3).map((mover) => (
        <ProcessChip key={mover} component={mover} />
      ))}
      {movers.length > 3 && <span class="more">+{movers.length - 3}</span>}
      <span class="what">{arrows(label)}</span>
    </span>
  );
}

/** Of a step or a variable that matters in an explained run. */
export function MattersMark() {
  return (
    <span class="matters" title="this matters">
      ◆<span class="sr-only"> matters: </span>
    </span>
  );
}

/** The text of an explanation: formulas stand between backquotes, and "step 3" leads there. */
export function ExplanationText({ text }: { text: string }) {
  const with_links = (part: string) =>
    part.split(/(\b[Ss]tep \d+)/).map((piece, i) =>
      i % 2 === 0 ? (
        piece
      ) : (
        <button type="button" class="text" onClick={() => go_to(Number(/\d+/.exec(piece)?.[0]))}>
          {piece}
        </button>
      ),
    );
  return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code>{part}</code> : with_links(part)))}</>;
}

export function LineLink({ line }: { line: number }) {
  if (line <= 0 || !report.value.model?.source) return null;
  return (
    <a class="line-link" href={`#source?line=${line}`}>
      line {line}
    </a>
  );
}

export function RunLink({ run, children }: { run: number; children: ComponentChildren }) {
  return (
    <a
      class="run-link"
      href={`#run?run=${run}`}
      onClick={(event) => {
        event.preventDefault();
        select_run(run);
        tab.value = "run";
      }}
    >
      {children}
    </a>
  );
}

export function Bar({ part, label }: { part: number; label: string }) {
  return (
    <span class="bar" role="img" aria-label={label}>
      <span style={{ width: `${Math.max(0, Math.min(1, part)) * 100}%` }} />
    </span>
  );
}
