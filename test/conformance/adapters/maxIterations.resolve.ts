import { planExecute } from "@planloom/runtime";

/** A loop that never answers says how many rounds it has. */
const adapter: ConformanceAdapter<{ configured: number | null }> = async ({ configured }, { signal }) => {
  let number = 0;
  const { rounds } = await planExecute("Go", {
    executors: [],
    planner: () => ["step 0"],
    executor: () => "done",
    replanner: () => ({ plan: [`another step: ${"x".repeat(++number)}`] }),
    maxRounds: configured ?? undefined,
    signal,
  });
  return { effective: rounds };
};
export default adapter;
