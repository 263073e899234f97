import { setTimeout as sleep } from "node:timers/promises";
import { modelExecutor, planExecute } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

interface Input {
  readonly executorModelDelayMs: number;
  readonly cancelRecursiveAfterMs: number;
}

/** A loop whose executor's model is slow is cancelled from outside. */
const adapter: ConformanceAdapter<Input> = async (input, { signal }) => {
  const scripted = scriptedModel(["done"]);
  const model: typeof scripted = {
    ...scripted,
    async generate(request, options) {
      await sleep(input.executorModelDelayMs, undefined, { signal: options?.signal });
      return scripted.generate(request, options);
    },
  };
  let replannerCalls = 0;
  const began = performance.now();
  const { end_reason } = await planExecute("Go", {
    executors: [],
    planner: () => ["Look"],
    executor: modelExecutor({ model }),
    replanner: () => ({ respond: ++replannerCalls }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(input.cancelRecursiveAfterMs)]),
  });
  const finishesWithinMs = performance.now() - began;
  return { cancelErrorEvent: end_reason === "cancelled", finishesWithinMs, replannerCalls };
};
export default adapter;
