// The frame of the page: header, banner of a run in progress, tabs, and the view of the chosen tab.

import { Component, type ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { overall_verdict } from "./data";
import { Coverage } from "./coverage_view";
import { Explored } from "./explored";
import { LiveBanner } from "./live_banner";
import { VerdictMark } from "./pieces";
import { Processes } from "./processes";
import { format_place } from "./route";
import { RunView } from "./run_view";
import { SequenceView } from "./sequence_view";
import { SourceView } from "./source_view";
import { GraphView } from "./graph_view";
import { report, run_index, shown_line, tab, type TabId, tabs } from "./store";
import { ThemeButton } from "./theme";
import { Verdicts } from "./verdicts";

const views: Record<TabId, () => ComponentChildren> = {
  verdicts: Verdicts,
  run: RunView,
  sequence: SequenceView,
  explored: Explored,
  coverage: Coverage,
  graph: GraphView,
  processes: Processes,
  source: SourceView,
};

function Header() {
  const { answer, command, created, live, model } = report.value;
  const name = model?.name || answer.model.replace(/^.*\//, "") || "no model";
  return (
    <header class="top">
      <div class="top-line">
        <span class="brand">
          <svg width="26" height="16" viewBox="0 0 26 16" aria-hidden="true">
            <path d="M1 5c3-5 6-5 8 0s5 5 8 0 5-5 8 0M1 12c3-5 6-5 8 0s5 5 8 0 5-5 8 0" />
          </svg>
          Tideline
        </span>
        <h1>{name}</h1>
        {live && !live.ended && answer.properties.length === 0 ? (
          <span class="verdict none large">… running</span>
        ) : (
          <VerdictMark verdict={overall_verdict(answer.properties)} large />
        )}
        <span class="grow" />
        <ThemeButton />
      </div>
      <p class="command">
        {command.length > 0 && <code>{command.join(" ")}</code>}
        {created && (
          <span class="quiet">
            {created.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")}
            {answer.version && `, version ${answer.version}`}
          </span>
        )}
      </p>
    </header>
  );
}

function Tabs() {
  const choose = (id: TabId) => {
    shown_line.value = 0;
    tab.value = id;
  };
  // In narrow windows the chosen tab may be out of sight.
  useEffect(
    () => document.getElementById(`tab-${tab.value}`)?.scrollIntoView({ block: "nearest", inline: "center" }),
    [tab.value],
  );
  const on_key = (event: KeyboardEvent) => {
    const here = tabs.findIndex((t) => t.id === tab.value);
    const moves: Record<string, number> = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    choose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the report" onKeyDown={on_key}>
      {tabs.map(({ id, name }) => (
        <a
          key={id}
          id={`tab-${id}`}
          role="tab"
          href={format_place({ tab: id, run: run_index.value || undefined })}
          aria-selected={tab.value === id}
          aria-controls="view"
          tabIndex={tab.value === id ? 0 : -1}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            choose(id);
          }}
        >
          {name}
        </a>
      ))}
    </div>
  );
}

/** A view that fails says so and leaves the others usable. */
class Guard extends Component<{ children: ComponentChildren }, { message: string }> {
  override state = { message: "" };
  override componentDidCatch(error: unknown) {
    this.setState({ message: error instanceof Error ? error.message : String(error) });
    console.error(error);
  }
  override render() {
    if (this.state.message === "") return this.props.children;
    return (
      <section class="missing">
        <h2>This part cannot be shown</h2>
        <p>{this.state.message}</p>
      </section>
    );
  }
}

export function App() {
  const View = views[tab.value];
  return (
    <>
      <a
        class="skip"
        href="#view"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("view")?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header />
      <LiveBanner />
      <nav aria-label="Report">
        <Tabs />
      </nav>
      <main>
        <div id="view" role="tabpanel" aria-labelledby={`tab-${tab.value}`} tabIndex={-1} data-tab={tab.value}>
          <Guard key={tab.value}>
            <View />
          </Guard>
        </div>
      </main>
    </>
  );
}
