import { agentExecutor, defineAgent, run } from "@planloom/runtime";

type Reply =
  | { readonly success: true; readonly data?: unknown }
  | { readonly success: false; readonly message?: string };

const adapter: ConformanceAdapter<Reply> = async (reply, { signal }) => {
  const agent = defineAgent({ id: "a", description: "Answers.", send: () => reply });
  const plan = { planned_tasks: [{ execution_type: "agent" as const, agent_id: "a" }] };
  const { results } = await run(plan, { executors: [agentExecutor([agent])], signal });
  return { output: results[0]?.output, error: results[0]?.error?.message };
};
export default adapter;
