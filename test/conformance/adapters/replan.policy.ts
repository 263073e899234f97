type Input = Record<"default" | "head" | "revisedPlanFails", boolean> &
  Record<"maxReplans" | "failingBatchSize", number>;

const adapter: ConformanceAdapter<Input> = async (input, { signal, stubReplan }) => {
  const { failingBatchSize: failing = 1, maxReplans } = input;
  if (input.default || input.head) {
    const off = await stubReplan({ failing: 0, revised: "nothing", policy: undefined, signal });
    const on = await stubReplan({ failing: 0, revised: "nothing", policy: {}, signal });
    const flags = { enableReplan: off.asked > 0, replannedFlagDefault: off.result.replanned === true };
    return { ...flags, maxReplans: on.asked, supported: on.asked > 0 };
  }
  const revised = input.revisedPlanFails || maxReplans !== undefined ? "fails" : "works";
  // Seed 002 revises no revised plan, unless a limit above one is asked for.
  const policy = { scope: "remaining", recursive: maxReplans !== undefined, maxReplans } as const;
  const run = await stubReplan({ failing, revised, policy, signal });
  const { progress, tasks = [] } = run.request ?? {};
  const outputs = JSON.stringify(progress?.completed);
  const received = {
    "all step results so far (200 chars each)": outputs.includes("x".repeat(200)),
    "failed step with its error": progress?.failed[0]?.error?.message === "no file",
    "steps neither completed nor failed": tasks.some(({ task }) => task.task_id === "3"),
    "tool names": run.resources.some(({ id }) => id === "works"),
    "current variables (lossy form)": progress?.variables.who === "ada" && progress.variables.one !== undefined,
  };
  const { plan, results, replaced, end_reason, replanned = false } = run.result;
  const [first, second] = plan.planned_tasks.slice(1);
  const byPosition = second?.dependencies.includes(first?.task_id ?? "");
  const merged = results[0]?.task_id === "1" && replaced?.[0]?.status === "failed";
  const attempts = { attempts: run.asked, secondReplan: run.asked > 1, replanAttempted: run.asked > 0 };
  return {
    ...{ ...attempts, success: end_reason === "completed", replanned, checkpointDuringReplan: run.completedWhileAsked },
    plannerReceives: Object.entries(received).flatMap(([what, came]) => (came ? [what] : [])),
    revisedPlanDependsOn: byPosition ? "0-based positions within the new plan" : "something else",
    steps: merged ? "original results (including the failed one) followed by the revised plan's" : "something else",
    ...{ planId: plan.task_id === "p" ? "original id" : "another" },
    variables: results.at(-1)?.input?.of === "ada" ? "carried over" : "lost",
  };
};
export default adapter;
