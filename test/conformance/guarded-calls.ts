import { mcpCli } from "@planloom/compat";
import { defineTool, memoryPlans, Planloom } from "planloom";
import { handlePlanCommand, handlePlanTool } from "planloom/plan-tools";
import type { GuardPolicy } from "planloom/runtime";

/** The doors through which seed 002 lets a plan be run, by the seed's names. */
const doors = {
  "PlanRunner()": (planloom: Planloom, plan: ReturnType<typeof mcpCli.read>) => planloom.run(plan),
  "/plan run": async (planloom: Planloom, plan: ReturnType<typeof mcpCli.read>) => {
    const plans = memoryPlans();
    await plans.save(plan);
    return handlePlanCommand(`run ${plan.task_id}`, { planloom, plans });
  },
  "plan_execute tool": async (planloom: Planloom, plan: ReturnType<typeof mcpCli.read>) => {
    const plans = memoryPlans();
    await plans.save(plan);
    return handlePlanTool("plan_execute", { plan_id: plan.task_id }, { planloom, plans, confirm: "never" });
  },
};

/**
 * How many of `count` calls a plan makes that is run through one of the seed's entry points.
 * @throws Error for an entry point that is unknown
 */
export async function callsThrough(entryPoint: string, count: number, guards?: GuardPolicy): Promise<number> {
  if (!Object.hasOwn(doors, entryPoint)) throw new Error(`Unknown entry point ${entryPoint}.`);
  let made = 0;
  const look = defineTool({ id: "look", description: "Looks.", execute: () => ++made });
  await using planloom = new Planloom({ tools: [look], ...(guards && { guards }) });
  const steps = Array.from({ length: count }, (_, at) => ({ title: `Look ${at}`, tool: "look", args: { at } }));
  await doors[entryPoint as keyof typeof doors](planloom, mcpCli.read({ id: "p", title: "Look", steps }));
  return made;
}
