import type { Planloom, PlanStore, RunResult } from "planloom";
import type { Executor, Resource } from "planloom/plan";
import { handlePlanTool, planTools } from "planloom/plan-tools";

export interface PlanToolsOptions {
  readonly planloom: Planloom;
  readonly plans: PlanStore;
  readonly tenant: string;
  readonly confirm: Parameters<typeof handlePlanTool>[2]["confirm"];
  /** Asks the person about what a run waits for, and resumes it. */
  readonly settle: (result: RunResult, signal: AbortSignal) => Promise<RunResult>;
}

/** The plan tools as tools of a run: a model that calls one plans and runs within its own turn, and what the plan's calls use counts with it. */
export function planToolsExecutor({ planloom, plans, tenant, confirm, settle }: PlanToolsOptions): Executor {
  const resources = planTools().map(({ function: { name, description, parameters } }): Resource => {
    return { kind: "tool", id: name, description, input_schema: parameters };
  });
  return {
    kind: "tool",
    resources: () => resources,
    // A plan may take as long as its tasks, and as a person takes to answer.
    timeoutMs: () => Number.POSITIVE_INFINITY,
    // A person is asked about the calls of the plan, not about planning.
    delegates: () => true,
    async execute({ uid, input_data }, { signal, onProgress }) {
      const text = await handlePlanTool(uid, input_data, {
        planloom,
        plans,
        tenant,
        confirm,
        signal,
        settle: (result) => settle(result, signal),
        onEvent: (event) => onProgress({ plan: event }),
      });
      return JSON.parse(text) as unknown;
    },
  };
}
