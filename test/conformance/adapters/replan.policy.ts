interface Input extends Partial<Record<"default" | "head" | "enabled" | "revisedPlanFails", boolean>> {
  readonly maxReplans?: number;
  readonly failingBatchSize?: number;
  readonly failed?: string;
  readonly completed?: readonly string[];
  readonly remaining?: readonly string[];
}
const adapter: ConformanceAdapter<Input> = async (input, { signal, stubReplan }) => {
  const { failingBatchSize: size = 1, maxReplans, enabled, failed = "2", completed = ["1"], remaining = ["3"] } = input;
  if (input.default || input.head) {
    const off = await stubReplan({ steps: undefined, revised: "nothing", policy: undefined, signal });
    const on = await stubReplan({ steps: undefined, revised: "nothing", policy: {}, signal });
    const flags = { enableReplan: off.asked > 0, replannedFlagDefault: off.result.replanned === true };
    return { ...flags, maxReplans: on.asked, supported: on.asked > 0 };
  }
  const failing = Array.from({ length: size }, (_, at) => (at === 0 ? failed : `${failed}.${at}`));
  // Seed 002 revises no revised plan, unless a limit above one is asked for.
  const policy = { scope: "remaining", recursive: maxReplans !== undefined, maxReplans } as const;
  const { request, resources, summary } = await stubReplan({
    steps: { completed, remaining, failed: failing },
    revised: input.revisedPlanFails || maxReplans !== undefined ? "fails" : "works",
    policy: enabled === false ? undefined : policy,
    signal,
  });
  const { progress, tasks = [] } = request ?? {};
  const left = (id: string) => tasks.some(({ task }) => task.task_id === id);
  const received = {
    "all step results so far (200 chars each)": JSON.stringify(progress?.completed)?.includes("x".repeat(200)),
    "failed step with its error": progress?.failed[0]?.error?.message === "no file",
    "steps neither completed nor failed": remaining.length > 0 && remaining.every(left),
    "tool names": resources.some(({ id }) => id === "works"),
    "current variables (lossy form)": progress?.variables.who === "ada" && progress.variables.one !== undefined,
  };
  return { ...summary, plannerReceives: Object.entries(received).flatMap(([what, came]) => (came ? [what] : [])) };
};
export default adapter;
