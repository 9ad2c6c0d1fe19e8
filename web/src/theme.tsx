// Light and dark: as the system says, or as the reader chooses with the button.

import { effect, signal } from "@preact/signals";

type Choice = "auto" | "light" | "dark";

const system_dark = matchMedia("(prefers-color-scheme: dark)");
const system = signal(system_dark.matches);
const choice = signal<Choice>("auto");

export const theme = signal<"light" | "dark">("light");

export function start_theme(): void {
  try {
    const kept = localStorage.getItem("tideline-theme");
    if (kept === "light" || kept === "dark") choice.value = kept;
  } catch {
    // Pages from disk may have no storage; the choice then lasts as long as the page.
  }
  system_dark.addEventListener("change", (event) => (system.value = event.matches));
  effect(() => {
    theme.value = choice.value === "auto" ? (system.value ? "dark" : "light") : choice.value;
    document.documentElement.dataset.theme = theme.value;
  });
}

export function ThemeButton() {
  const other = theme.value === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="theme"
      aria-label={`Switch to ${other} colours`}
      title={`Switch to ${other} colours`}
      onClick={() => {
        choice.value = other;
        try {
          localStorage.setItem("tideline-theme", other);
        } catch {
          // see above
        }
      }}
    >
      <span aria-hidden="true">{theme.value === "dark" ? "☀" : "☾"}</span> {other === "dark" ? "Dark" : "Light"}
    </button>
  );
}
