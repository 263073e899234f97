import { TaskData } from "@planloom/plan";
import type { DispatchContext, DispatchRequest } from "./port/dispatcher.ts";

/** A subgraph without tasks: what is left of a dispatch is what dispatching costs. */
export function emptyDispatch(signal: AbortSignal): { request: DispatchRequest; context: DispatchContext } {
  const settled = () => Promise.resolve();
  const unasked = () => Promise.reject(new Error("A subgraph without tasks has nothing to ask for."));
  return {
    request: {
      run_id: "measurement",
      subgraph_id: "empty",
      plan: TaskData.parse({ task_id: "empty", planned_tasks: [] }),
      input: {},
      settings: {
        task_timeout_ms: null,
        max_task_timeout_ms: null,
        max_attempts: null,
        retry: null,
        retry_on: null,
        on_failure: "continue",
        on_unknown: "ask",
        total_timeout_ms: null,
        idle_timeout_ms: null,
        bind_timeout_ms: null,
        bind_estimate: null,
        max_output_bytes: null,
        abort_grace_ms: null,
        counts_usage: false,
        learns: false,
        cache: null,
      },
      approval: { resources: [], answers: [], content_hashes: {} },
      nested: [],
      usage: {},
      begun: [],
    },
    context: {
      signal,
      onEvent() {},
      report: settled,
      reportNested: settled,
      reportCalls: settled,
      reportAbandoned() {},
      reportThrown() {},
      calls: { ask: unasked, learn() {} },
      revealSecret: unasked,
      onAnswer: () => () => {},
      runHere: unasked,
    },
  };
}
