// The model's text with line numbers, how often each line was taken, and the lines that moved in the current step.

import { useComputed } from "@preact/signals";
import { count, short_count } from "./numbers";
import { Missing } from "./pieces";
import { Player } from "./player";
import { type Token, tokens_of } from "./source";
import { counts_by_line, current_lines, failed_line, replay, report, shown_line, view } from "./store";
import { VirtualList } from "./virtual_list";

const line_height = 20;

function Line({
  number,
  tokens,
  moved,
  pointed,
  failed,
  taken,
  has_counts,
}: {
  number: number;
  tokens: Token[];
  moved: boolean;
  pointed: boolean;
  failed: boolean;
  taken: number | undefined;
  has_counts: boolean;
}) {
  const classes = `line${moved ? " moved" : ""}${pointed ? " pointed" : ""}${failed ? " failed" : ""}${taken === 0 ? " never" : ""}`;
  return (
    <div class={classes} data-line={number}>
      <span class="line-number">
        {moved && <span class="sr-only">moved: </span>}
        {failed && <span class="sr-only">fails: </span>}
        {number}
      </span>
      {has_counts && (
        <span
          class="taken"
          title={taken === undefined ? undefined : taken === 0 ? "never taken" : `taken ${count(taken)} times`}
        >
          {taken === undefined ? "" : taken === 0 ? "never" : taken < 1e6 ? count(taken) : short_count(taken)}
        </span>
      )}
      <span class="marker" aria-hidden="true">
        {failed ? "✗" : moved ? "▶" : ""}
      </span>
      <code>
        {tokens.map((token) => (token.kind ? <span class={token.kind}>{token.text}</span> : token.text))}
        {"\n"}
      </code>
    </div>
  );
}

export function SourceText() {
  const tokens = useComputed(() => tokens_of(view.value.model.source ?? "", view.value.model.language));
  const lines = tokens.value;
  const moved = new Set(current_lines.value);
  const counts = counts_by_line.value;
  const target = shown_line.value || failed_line.value || current_lines.value[0] || 0;
  const widest = Math.max(...lines.map((line) => line.reduce((sum, token) => sum + token.text.length, 0)), 20);
  return (
    <VirtualList
      class={`source ${counts.size > 0 ? "with-counts" : ""}`}
      role="region"
      tabIndex={0}
      aria-label="Source of the model"
      style={{ "--columns": Math.min(widest, 400) } as never}
      count={lines.length}
      row_height={line_height}
      follow={target - 1}
      render={(first, last) =>
        lines
          .slice(first, last)
          .map((line, i) => (
            <Line
              key={first + i}
              number={first + i + 1}
              tokens={line}
              moved={moved.has(first + i + 1)}
              failed={failed_line.value === first + i + 1}
              pointed={shown_line.value === first + i + 1}
              taken={counts.get(first + i + 1)}
              has_counts={counts.size > 0}
            />
          ))
      }
    />
  );
}

export function SourceView() {
  const { model, exploration } = report.value;
  if (!model)
    return (
      <Missing what="The model is not in this report">
        The model file could not be read when the report was made. Give its path with{" "}
        <code>tideline report ANSWER.json --model MODEL</code>.
      </Missing>
    );
  if (model.source === undefined)
    return (
      <Missing what="The source is not in this report">
        The text of {model.path} is larger than 2 MB, so only its names and line numbers are here.
      </Missing>
    );
  return (
    <div class="source-view">
      {replay.value && <Player />}
      <p class="legend">
        {exploration ? (
          <>
            The second column says how often the line's actions were taken{exploration.complete ? "" : " so far"}.{" "}
            <span class="never-word">never</span>:{" "}
            {exploration.never_enabled_is_proven
              ? "all states were seen, so they can never be taken."
              : "not taken in the states that were seen; they may be taken elsewhere."}
          </>
        ) : (
          "How often each line was taken is not known: nothing was counted."
        )}
      </p>
      <section class="pane">
        <SourceText />
      </section>
    </div>
  );
}
