import type { ModelReply } from "@planloom/controller";
import type { PlanExecuteOptions } from "@planloom/runtime";
import { callsOf } from "./agents.ts";

export const call = (name: string, args: unknown): Partial<ModelReply> => callsOf([name, args]);

/** Functions for the three, which note what they were asked. */
export function roles(
  plan: PlanExecuteOptions["planner"],
  replans: readonly unknown[],
  fails: (step: string) => boolean = () => false,
) {
  const executed: string[] = [];
  const asked: string[] = [];
  const options = {
    executors: [],
    planner: plan,
    executor({ step }: { step: string }) {
      executed.push(step);
      if (fails(step)) throw new Error(`cannot ${step}`);
      return `did ${step}`;
    },
    replanner(session: { ExecutedSteps: readonly { result: string }[] }) {
      asked.push(session.ExecutedSteps.map(({ result }) => result).join("; "));
      return replans[asked.length - 1] as { respond: string };
    },
  } satisfies PlanExecuteOptions;
  return { executed, asked, options };
}
