import { setTimeout as sleep } from "node:timers/promises";
import * as runtime from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

/** The loop is cancelled at once, or asked to stop at the next safe point, while the mode's kind of call runs. */
const adapter: ConformanceAdapter<{ mode?: string; executorModelDelayMs: number }> = async (input, { signal }) => {
  const [drain, cancel] = [new AbortController(), new AbortController()];
  const { mode = "after chat model", executorModelDelayMs: delayMs } = input;
  const journal = runtime.memoryJournal();
  const call = { toolCalls: [{ id: "1", name: "look", arguments: "{}" }] };
  const scripted = scriptedModel([call, "Looked."]);
  const model: typeof scripted = {
    ...scripted,
    async generate(request, options) {
      if (mode === "after chat model") drain.abort();
      if (mode === "immediate") cancel.abort();
      await sleep(delayMs, undefined, { signal: options?.signal });
      return scripted.generate(request, options);
    },
  };
  const execute = () => void drain.abort();
  const { run_id, end_reason } = await runtime.planExecute("Go", {
    executors: [runtime.toolExecutor([runtime.defineTool({ id: "look", description: "Looks.", execute })])],
    ...{ journal, drain: drain.signal, signal: AbortSignal.any([signal, cancel.signal]) },
    planner: () => ["Look"],
    executor: runtime.modelExecutor({ model }),
    replanner: () => ({ respond: "done" }),
  });
  const nested = await journal.getNestedTasks(run_id);
  const ended = nested.filter(({ record: { uid, status } }) => status === "completed" && uid !== "planner");
  const last = ended.some(({ record }) => record.uid === "look") ? "AfterToolCalls" : "AfterChatModel";
  return {
    cancelErrorMode: end_reason === "responded" ? "none" : `Cancel${ended.length === 0 ? "Immediate" : last}`,
    interruptContextsNonEmpty: ended.some(({ path }) => path.length > 0),
  };
};
export default adapter;
