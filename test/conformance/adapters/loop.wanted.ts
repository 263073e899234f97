import { setTimeout as sleep } from "node:timers/promises";
import { type LoopChoice, planExecute } from "@planloom/runtime";

interface Input {
  readonly maxIterationsReached?: boolean;
  readonly plan?: string[];
  readonly independent?: boolean;
  readonly executorFails?: boolean;
  readonly replannerReturnsEmptyPlan?: boolean;
}

const adapter: ConformanceAdapter<Input> = async (input, { signal }) => {
  const { plan = ["A", "B"], independent = false } = input;
  let [running, most, empty, offered] = [0, 0, 0, false];
  const { end_reason, session } = await planExecute("Go", {
    executors: [],
    planner: () => ({ steps: plan, ...(independent && { depends_on: plan.map(() => []) }) }),
    async executor({ step }) {
      if (input.executorFails) throw new Error("broken");
      empty += step === "" ? 1 : 0;
      most = Math.max(most, ++running);
      await sleep(20);
      return --running;
    },
    replanner({ ExecutedSteps }): LoopChoice {
      offered ||= ExecutedSteps.some(({ failed, result }) => failed === true && result.includes("broken"));
      const plan = input.maxIterationsReached ? ["and on"] : input.replannerReturnsEmptyPlan ? [] : undefined;
      return plan === undefined ? { respond: "done" } : { plan };
    },
    ...{ maxRounds: 1, signal },
  });
  const terminationReason = end_reason === "round_limit" ? "max_iterations" : end_reason;
  const treatedAs = empty === 0 ? "error or finish, never an empty step" : "an empty step";
  const how = { parallel: most > 1, offeredTo: offered ? "replanner" : "nobody", treatedAs };
  return { terminationReason, partialResults: session.ExecutedSteps.length > 0, ...how };
};
export default adapter;
