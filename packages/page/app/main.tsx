import { signal } from "@preact/signals";
import { render } from "preact";
import { RunList } from "./runs/run-list.tsx";
import { RunView } from "./shell/run-view.tsx";
import { embeddedData, fileSource, type PageSource } from "./source.ts";
import { PageState } from "./state.ts";
import "./style.css";

declare global {
  interface Window {
    /** For measuring from outside. */
    planloomState?: PageState;
  }
}

const data = embeddedData();
const source: PageSource = data === undefined ? noServer() : fileSource(data);
const state = new PageState(source);
window.planloomState = state;
const runId = signal<string | undefined>(undefined);

function followAddress(): void {
  const id = /^#\/runs\/(.+)$/.exec(location.hash)?.[1];
  runId.value = id === undefined ? undefined : decodeURIComponent(id);
  if (source.server !== undefined && runId.value === undefined) state.close();
  else void state.open(runId.value);
}

function Page() {
  const title = state.data.value?.plan.title;
  document.title = title === undefined ? "Planloom" : `${title} · Planloom`;
  if (state.error.value !== undefined) {
    return (
      <main class="alone">
        <h1>This cannot be shown</h1>
        <p class="error" role="alert">
          {state.error.value}
        </p>
      </main>
    );
  }
  if (source.server !== undefined && runId.value === undefined) return <RunList source={source} />;
  return <RunView state={state} />;
}

addEventListener("hashchange", followAddress);
followAddress();
render(<Page />, document.getElementById("page")!);

function noServer(): PageSource {
  return { load: () => Promise.reject(new Error("This file has no data, and no server that it could ask.")) };
}
