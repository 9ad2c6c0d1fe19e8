// The form that narrows steps and variables.

import { filters_anything, no_filter } from "./filter";
import { count, counted } from "./numbers";
import { filter, replay, shown_steps, view } from "./store";

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
      {run?.run.explanation && (
        <label class="check">
          <input
            id="only-explained"
            type="checkbox"
            checked={value.only_explained}
            onChange={(event) => (filter.value = { ...filter.value, only_explained: event.currentTarget.checked })}
          />{" "}
          only what matters
        </label>
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
