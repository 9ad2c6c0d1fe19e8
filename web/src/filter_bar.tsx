// The form that narrows steps and variables.

import { filters_anything, no_filter } from "./filter";
import { count, counted } from "./numbers";
import { explanation, filter, replay, shown_steps, view, whole_run } from "./store";

export function FilterBar() {
  const { value } = filter;
  const run = replay.value;
  const steps = shown_steps.value;
  const components = view.value.model.components;
  return (
    <form class="filter" role="search" aria-label="Filter steps and variables" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="sr-only">Name of a variable or action</span>
        <input
          id="filter-text"
          type="search"
          placeholder="Filter by variable or action  ( / )"
          value={value.text}
          onInput={(event) => (filter.value = { ...filter.value, text: event.currentTarget.value })}
        />
      </label>
      {components.length > 0 && (
        <label>
          Process{" "}
          <select
            id="filter-process"
            value={value.component}
            onChange={(event) => (filter.value = { ...filter.value, component: Number(event.currentTarget.value) })}
          >
            <option value={-1}>all</option>
            {components.map((component, i) => (
              <option value={i}>{component.name}</option>
            ))}
          </select>
        </label>
      )}
      {explanation.value && (
        <div class="choice" role="group" aria-label="Which steps and variables are shown">
          {[false, true].map((whole) => (
            <button
              key={String(whole)}
              type="button"
              aria-pressed={whole_run.value === whole}
              title={whole ? "All steps and variables (e)" : "Only the steps and variables that matter (e)"}
              aria-keyshortcuts="e"
              onClick={() => (whole_run.value = whole)}
            >
              {whole ? "Whole run" : "◆ Explained"}
            </button>
          ))}
        </div>
      )}
      {filters_anything(value) && (
        <span class="filter-state" role="status">
          {steps ? `${count(steps.length)} of ${counted(run?.length ?? 0, "step")}` : ""}{" "}
          <button type="button" class="text" onClick={() => (filter.value = no_filter)}>
            show all
          </button>
        </span>
      )}
    </form>
  );
}
