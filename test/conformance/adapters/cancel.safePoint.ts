import { setTimeout as sleep } from "node:timers/promises";
import * as runtime from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

/** The executor's model is slow; while it answers, the loop is told to stop at the next safe point. */
const adapter: ConformanceAdapter<{ executorModelDelayMs: number }> = async (input, { signal }) => {
  const drain = new AbortController();
  const journal = runtime.memoryJournal();
  let toolCalls = 0;
  const look = runtime.defineTool({ id: "look", description: "Looks.", execute: () => toolCalls++ });
  const scripted = scriptedModel([{ toolCalls: [{ id: "1", name: "look", arguments: "{}" }] }]);
  const model: typeof scripted = {
    ...scripted,
    async generate(request, options) {
      drain.abort();
      await sleep(input.executorModelDelayMs, undefined, { signal: options?.signal });
      return scripted.generate(request, options);
    },
  };
  const { run_id, end_reason } = await runtime.planExecute("Go", {
    executors: [runtime.toolExecutor([look])],
    ...{ journal, drain: drain.signal, signal },
    planner: () => ["Look"],
    executor: runtime.modelExecutor({ model }),
    replanner: () => ({ respond: "done" }),
  });
  const answered = (await journal.getNestedTasks(run_id)).filter(({ record }) => record.uid === model.name);
  const afterModel = answered.length === 1 && toolCalls === 0;
  return {
    cancelErrorMode: runtime.isStopped(end_reason) && afterModel ? "CancelAfterChatModel" : end_reason,
    interruptContextsNonEmpty: answered.some(({ path }) => path.length > 0),
  };
};
export default adapter;
