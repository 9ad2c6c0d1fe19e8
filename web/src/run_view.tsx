// The run step by step: the player, the filter, the list of steps, the variables, the source beside them; or two runs.

import { ExplanationView } from "./explanation_view";
import { FilterBar } from "./filter_bar";
import { count } from "./numbers";
import { Missing } from "./pieces";
import { Player } from "./player";
import { SourceText } from "./source_view";
import { StepList } from "./step_list";
import {
  difference,
  explanation,
  go_to,
  listing,
  replay,
  report,
  second,
  second_explanation,
  second_listing,
} from "./store";
import { Variables } from "./variables";

function Comparison() {
  const other = second.value;
  if (!other) return null;
  const at = difference.value;
  return (
    <p class="comparison" role="status">
      {at === undefined ? (
        "The two runs are the same."
      ) : (
        <>
          <b>≠</b> The runs differ first {at === 0 ? "in the initial state" : `in step ${count(at)}`}.{" "}
          <button type="button" class="text" onClick={() => go_to(at)}>
            go there
          </button>
        </>
      )}
    </p>
  );
}

export function no_runs_text() {
  return (
    <>
      A property that is violated, or a state that is reached, comes with a run. Simulate one and save it with{" "}
      <code>tideline simulate MODEL --random --trace run.itf.json</code>, then{" "}
      <code>tideline report ANSWER.json run.itf.json</code> shows it here.
    </>
  );
}

export function RunView() {
  const run = replay.value;
  if (!run) return <Missing what="This report has no run">{no_runs_text()}</Missing>;
  const other = second.value;
  const has_source = report.value.model?.source !== undefined;
  return (
    <div class="run-view">
      <Player />
      <FilterBar />
      <Comparison />
      <ExplanationView open />
      <div class={`panes ${other ? "with-second" : ""} ${has_source && !other ? "with-source" : ""}`}>
        <StepList
          key="first"
          id="step"
          run={run}
          label={other ? run.run.title : "Steps"}
          rows={listing.value}
          explanation={explanation.value}
        />
        {other && (
          <StepList
            key="second"
            id="second"
            run={other}
            label={other.run.title}
            rows={second_listing.value}
            explanation={second_explanation.value}
          />
        )}
        <Variables />
        {has_source && !other && (
          <section class="pane source-pane" aria-label="Source">
            <h2 class="pane-title">
              Source <span class="quiet">{report.value.model?.name}</span>
            </h2>
            <SourceText />
          </section>
        )}
      </div>
    </div>
  );
}
