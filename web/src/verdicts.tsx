// The first tab: every property with its verdict and evidence, what ran in words, figures, warnings.

import type { Property, Run, Statistics } from "./data";
import { explanation_of, which_matter } from "./explained";
import { bytes, count, counted, seconds } from "./numbers";
import { Missing, RunLink, VerdictMark } from "./pieces";
import { report } from "./store";

const run_words = { counterexample: "counterexample", lasso: "lasso", witness: "witness", simulation: "run" } as const;

/** The runs of a property: the one that proves its verdict first, then the others that were found. */
function Evidence({ property, index }: { property: Property; index: number }) {
  const { runs } = report.value;
  const trace = property.trace;
  if (!trace) return <span class="quiet">none</span>;
  const found = runs.flatMap((run, i) => (run.property === index && i !== trace.run ? [i] : []));
  if (runs[trace.run]) found.unshift(trace.run);
  if (found.length === 0) return <span class="quiet">a run of {counted(trace.length, "step")}, not in this report</span>;
  return (
    <ul class="evidence">
      {found.map((i) => (
        <li key={i}>
          <RunLink run={i}>
            {run_words[runs[i]?.kind ?? "simulation"] ?? "run"} of {counted(length_of(runs[i]), "step")}
          </RunLink>
          <span class="quiet">{evidence_remarks(property, i)}</span>
        </li>
      ))}
    </ul>
  );
}

/** ", shortened from 9, 4 of which matter" */
function evidence_remarks(property: Property, run: number): string {
  const shortened = run === property.trace?.run && property.shortened_from;
  const explanation = explanation_of(report.value, run);
  return (shortened ? `, shortened from ${count(shortened)}` : "") + (explanation ? `, ${which_matter(explanation, length_of(report.value.runs[run]))}` : "");
}

/** Steps of a run, a failing last step included. */
function length_of(run: Run | undefined): number {
  return (run?.steps.length ?? 0) + (run?.failure ? 1 : 0);
}

function PropertyRow({ property, index }: { property: Property; index: number }) {
  const remarks = [property.reason, property.trace?.failure?.message, property.trace?.no_value?.message].filter(
    (text): text is string => !!text,
  );
  if (property.fairness) remarks.push(`Only runs with ${property.fairness} fairness count.`);
  if (property.deadlock_paths)
    remarks.push(
      property.deadlock_paths === "stutter" ? "A deadlock repeats its state for ever." : "A run may end in a deadlock.",
    );
  return (
    <tr>
      <td data-title="Verdict">
        <VerdictMark verdict={property.verdict} />
        {property.expected !== undefined && (
          <div class={property.as_expected ? "quiet" : "unexpected"}>
            {property.as_expected ? "as expected" : `expected: ${property.expected}`}
          </div>
        )}
      </td>
      <th scope="row" data-title="Property">
        {property.name} <span class="kind">{property.kind}</span>
        {property.formula && <code class="formula">{property.formula}</code>}
        {remarks.map((remark) => (
          <p class="remark">{remark}</p>
        ))}
      </th>
      <td data-title="Evidence">
        <Evidence property={property} index={index} />
      </td>
    </tr>
  );
}

const statistic_names: Record<string, string> = {
  stored_peak: "most states stored at a time",
  visited: "visits to states",
  table_bytes: "memory of the state table",
  state_bytes: "size of a packed state",
  bytes_per_state: "memory used a state",
  peak_rss_bytes: "peak memory of the program",
  time_s: "time",
  measure_time_s: "time spent on the measure",
  levels: "levels of breadth-first search",
  depth: "steps to the deepest state",
  states_per_s: "states a second",
};

function statistic_value(name: string, value: number | string): string {
  if (typeof value === "string") return /^\d+$/.test(value) ? count(value) : value;
  if (name.endsWith("time_s")) return seconds(value);
  if (name.endsWith("_bytes") || name === "bytes_per_state") return bytes(value);
  return Number.isInteger(value) ? count(value) : count(Number(value.toPrecision(3)));
}

export function Figures({ statistics }: { statistics: Statistics }) {
  return (
    <dl class="figures">
      {Object.entries(statistics).map(([name, value]) => (
        <div key={name}>
          <dt>{statistic_names[name] ?? name.replace(/_/g, " ")}</dt>
          <dd>{statistic_value(name, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Verdicts() {
  const { answer, notes } = report.value;
  const unclaimed = report.value.runs
    .map((run, i) => ({ run, i }))
    .filter(({ run, i }) => run.property === undefined && !answer.properties.some((p) => p.trace?.run === i));
  return (
    <div class="page">
      {answer.warnings.length > 0 && (
        <section class="callout warning" aria-labelledby="warnings">
          <h2 id="warnings">Warnings</h2>
          <ul>
            {answer.warnings.map((warning) => (
              <li>{warning}</li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="properties">
        <h2 id="properties">Properties</h2>
        {answer.properties.length === 0 ? (
          <Missing what="No properties were checked">
            Ask with <code>tideline check MODEL --deadlock</code>, <code>--invariant</code>, <code>--ltl</code> or{" "}
            <code>--all</code>.
          </Missing>
        ) : (
          <table class="properties">
            <thead>
              <tr>
                <th scope="col">Verdict</th>
                <th scope="col">Property</th>
                <th scope="col">Evidence</th>
              </tr>
            </thead>
            <tbody>
              {answer.properties.map((property, i) => (
                <PropertyRow key={property.name} property={property} index={i} />
              ))}
            </tbody>
          </table>
        )}
        {unclaimed.length > 0 && (
          <p>
            More runs:{" "}
            {unclaimed.map(({ run, i }, n) => (
              <>
                {n > 0 && ", "}
                <RunLink run={i}>
                  {run.title} ({counted(run.steps.length, "step")})
                </RunLink>
              </>
            ))}
          </p>
        )}
      </section>
      {answer.unbounded && (
        <section class="callout warning" aria-labelledby="unbounded">
          <h2 id="unbounded">The net is unbounded</h2>
          <p>
            Repeating {answer.unbounded.sequence.join(", ")} makes {answer.unbounded.grows.join(", ")} grow without end
            {answer.unbounded.prefix.length > 0 && `, after ${answer.unbounded.prefix.join(", ")}`}.
          </p>
        </section>
      )}
      <section aria-labelledby="what-ran">
        <h2 id="what-ran">What ran</h2>
        <ul class="notes">
          {notes.map((note) => (
            <li>{note}</li>
          ))}
          {notes.length === 0 && (
            <li>
              Engine {answer.engine}, {answer.complete ? "complete" : "not complete"}.
            </li>
          )}
        </ul>
        {Object.keys(answer.statistics).length > 0 && (
          <details open={(answer.searches?.length ?? 0) === 0}>
            <summary>Figures</summary>
            <Figures statistics={answer.statistics} />
          </details>
        )}
        {(answer.searches ?? []).map((search, i) => (
          <details key={i}>
            <summary>
              Search {i + 1}: {search.engine}, {search.complete ? "complete" : "not complete"}, for{" "}
              {search.properties.join(", ")}
            </summary>
            <Figures statistics={search.statistics} />
          </details>
        ))}
      </section>
      {answer.never_enabled.length > 0 && (
        <section aria-labelledby="never-enabled">
          <h2 id="never-enabled">Never enabled</h2>
          <p>
            {counted(answer.never_enabled.length, "action")} of the model can never be taken; the tab{" "}
            <a href="#coverage">Coverage</a> shows where.
          </p>
        </section>
      )}
    </div>
  );
}
