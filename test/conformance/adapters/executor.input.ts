import { planExecute } from "@planloom/runtime";

interface Input {
  readonly session: { readonly Plan?: string[] | null; readonly UserInput?: string[] | null };
}

const adapter: ConformanceAdapter<Input> = async ({ session }, { signal }) => {
  const input = session.UserInput === undefined ? ["Go"] : session.UserInput;
  const { end_reason, error } = await planExecute(input as string[], {
    executors: [],
    planner: () => session.Plan as string[],
    executor: () => "done",
    replanner: () => ({ respond: "done" }),
    signal,
  });
  return end_reason === "failed" ? { error: new Error(error?.message) } : { end_reason };
};
export default adapter;
