// The banner of a run in progress: phase, how far it has come, time left.

import { signal } from "@preact/signals";
import { seconds } from "./numbers";
import { report } from "./store";

export const live_trouble = signal("");

export function LiveBanner() {
  const live = report.value.live;
  if (!live) return null;
  const completion = live.completion;
  const percent = (part: number) => `${Math.round(part * 100)} %`;
  const range =
    completion && completion.most - completion.least > 0.02
      ? ` (probably ${percent(completion.least)} to ${percent(completion.most)})`
      : "";
  return (
    <section class={`live ${live.ended ? "ended" : ""}`} aria-label="Run in progress">
      <p role="status">
        <b>{live.ended ? "Finished" : live.phase}</b>
        {!live.ended && live.engine && ` with engine ${live.engine}`}, after {seconds(live.time_s)}
        {completion && !live.ended && (
          <>
            {" "}
            · {percent(completion.done)} done{range}, about {seconds(completion.time_left_s)} left
          </>
        )}
      </p>
      {completion && !live.ended && <progress value={completion.done} max={1} aria-label="Part that is done" />}
      {live_trouble.value !== "" && !live.ended && (
        <p class="trouble">No answer from the program: {live_trouble.value}. These are its last figures.</p>
      )}
    </section>
  );
}
