import { signal } from "@preact/signals";
import { render } from "preact";
import { httpSource } from "./http-source.ts";
import { runName } from "./model/run-name.ts";
import { PlanList } from "./runs/plan-list.tsx";
import { PlanRuns } from "./runs/plan-runs.tsx";
import { RunList } from "./runs/run-list.tsx";
import { AskToken } from "./shell/ask-token.tsx";
import { RunView } from "./shell/run-view.tsx";
import { embeddedData, fileSource, type PageTarget } from "./source.ts";
import { PageState } from "./state.ts";
import "./style.css";

declare global {
  interface Window {
    /** For measuring from outside. */
    planloomState?: PageState;
  }
}

const data = embeddedData();
const state = new PageState(data === undefined ? httpSource() : fileSource(data));
window.planloomState = state;
const target = signal<PageTarget | undefined>(undefined);
/** Whether the saved plans are listed, and not the runs. */
const listsPlans = signal(false);
/** The plan whose runs are shown beside one another. */
const comparedPlan = signal<string | undefined>(undefined);

function followAddress(): void {
  listsPlans.value = /^#\/plans\/?$/.test(location.hash);
  const [, plan] = /^#\/plans\/([^/]+)\/runs$/.exec(location.hash) ?? [];
  comparedPlan.value = plan === undefined || state.source.server === undefined ? undefined : decoded(plan);
  if (comparedPlan.value !== undefined) {
    target.value = undefined;
    state.close();
    return;
  }
  const [, kind, id] = /^#\/(runs|plans)\/(.+)$/.exec(location.hash) ?? [];
  target.value = id === undefined ? undefined : { kind: kind as PageTarget["kind"], id: decoded(id) };
  state.close();
  if (target.value !== undefined || state.source.server === undefined) void state.open(target.value);
}

/** An id of the address; one that a person mistyped is left as it is, and is not found. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function Page() {
  const { plan, run } = state.data.value ?? {};
  const title = plan && run ? runName({ ...run, title: plan.title, plan_id: plan.id }) : plan?.title;
  document.title = title === undefined ? "Planloom" : `${title} · Planloom`;
  if (state.wantsToken.value !== undefined) {
    return (
      <AskToken
        message={state.wantsToken.value}
        use={(token) => {
          state.source.server?.useToken(token);
          state.wantsToken.value = undefined;
          followAddress();
        }}
      />
    );
  }
  if (state.error.value !== undefined) {
    return (
      <main class="alone">
        <h1>This cannot be shown</h1>
        <p class="error" role="alert">
          {state.error.value}
        </p>
        {state.source.server !== undefined && <a href="#/">All runs</a>}
      </main>
    );
  }
  if (comparedPlan.value !== undefined)
    return <PlanRuns key={comparedPlan.value} planId={comparedPlan.value} state={state} />;
  if (state.source.server !== undefined && target.value === undefined)
    return listsPlans.value ? <PlanList state={state} /> : <RunList state={state} />;
  return <RunView state={state} />;
}

addEventListener("hashchange", followAddress);
followAddress();
render(<Page />, document.getElementById("page")!);
