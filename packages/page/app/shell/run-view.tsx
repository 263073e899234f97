import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Questions } from "../details/questions.tsx";
import { TaskPanel } from "../details/task-panel.tsx";
import { GraphView } from "../graph/graph-view.tsx";
import type { PageState } from "../state.ts";
import { TimelineView } from "../timeline/timeline-view.tsx";
import { Changes } from "./changes.tsx";
import { EventLog } from "./event-log.tsx";
import { RunHeader } from "./run-header.tsx";
import { TasksTable } from "./tasks-table.tsx";

const tabs = ["Graph", "Tasks", "Log", "Changes"] as const;
type Tab = (typeof tabs)[number];
/** Of a plan that is not executed there is no more to see. */
const tabsOfPlan: readonly Tab[] = ["Graph", "Tasks"];

/** One plan or run: its graph and timeline, with the selected task at the side. */
export function RunView({ state }: { readonly state: PageState }) {
  const tab = useSignal<Tab>("Graph");
  const data = state.data.value;
  if (data === undefined) return null;
  const waiting = data.run?.waiting.length ?? 0;
  return (
    <div
      class={`run${state.selected.value === -1 ? "" : " with-panel"}${data.run === undefined ? " no-timeline" : ""}`}
    >
      <RunHeader state={state} />
      <Tabs tab={tab} names={data.run === undefined ? tabsOfPlan : tabs} revisions={data.run?.revisions.length ?? 0} />
      <main class="view">
        <div class="fill scrolls" id="view" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
          {waiting > 0 && state.source.server !== undefined && state.selected.value === -1 && (
            <div class={tab.value === "Graph" ? "questions" : "questions in-flow"}>
              <Questions state={state} />
            </div>
          )}
          <Shown when={tab.value === "Graph"}>
            {state.layout.value === undefined && data.plan.tasks.length > 0 && (
              <p class="busy muted">Laying out the plan…</p>
            )}
            <GraphView state={state} />
          </Shown>
          {tab.value === "Tasks" && <TasksTable state={state} />}
          {tab.value === "Log" && <EventLog state={state} />}
          {tab.value === "Changes" && <Changes state={state} />}
        </div>
      </main>
      {data.run !== undefined && <TimelineView state={state} />}
      <TaskPanel state={state} />
    </div>
  );
}

/** The graph stays while another tab is shown: it keeps its place. */
function Shown({ when, children }: { readonly when: boolean; readonly children: ComponentChildren }) {
  return (
    <div class="fill" hidden={!when}>
      {children}
    </div>
  );
}

function Tabs({
  tab,
  names,
  revisions,
}: {
  readonly tab: Signal<Tab>;
  readonly names: readonly Tab[];
  readonly revisions: number;
}) {
  return (
    <div class="tabs" role="tablist" aria-label="Views">
      {names.map((name, at) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-controls="view"
          aria-selected={tab.value === name}
          tabIndex={tab.value === name ? 0 : -1}
          onClick={() => {
            tab.value = name;
          }}
          onKeyDown={(event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (step === undefined) return;
            const next = names[(at + step + names.length) % names.length]!;
            tab.value = next;
            document.getElementById(`tab-${next}`)?.focus();
          }}
        >
          {name}
          {name === "Changes" && revisions > 0 && ` (${revisions})`}
        </button>
      ))}
    </div>
  );
}
