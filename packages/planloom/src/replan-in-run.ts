import { replanWith, type SubGraphRePlannerOptions } from "@planloom/planner";
import type { Replan } from "@planloom/runtime";
import { replanPlan } from "./replan-plan.ts";

/** Replanning as the function that a run is handed: of its tasks, and of what is within elements of its lists. */
export function replanInRun(options: SubGraphRePlannerOptions): Replan {
  const replanTasks = replanWith(options);
  return async (region, context) => {
    const { plan, within, causes, verify } = region;
    if (within === undefined) return replanTasks(region, context);
    const { marked: mark, outputs, failures } = within;
    const { signal, beforeCall, onCall } = context;
    const notes = new Set(causes.flatMap(({ message }) => message ?? []));
    const { patch } = await replanPlan(
      plan,
      {
        mark,
        outputs,
        failures,
        signal,
        ...(notes.size > 0 && { note: [...notes].join("\n") }),
        hooks: { ...(beforeCall !== undefined && { beforeCall }), ...(onCall !== undefined && { onCall }) },
        // The elements are tasks of their own already, so that there is one patch.
        verify: (_, patches) => patches.flatMap((each) => verify(each)),
      },
      options,
    );
    return patch;
  };
}
