import type { ModelReply } from "@planloom/controller";
import { TaskData } from "@planloom/plan";
import { agentExecutor, defineAgent, defineTool, type ModelAgentOptions, toolExecutor } from "@planloom/runtime";

/** A reply that calls tools: `["search", { q: "x" }]` each. */
export const callsOf = (...calls: readonly (readonly [string, unknown])[]): Partial<ModelReply> => ({
  toolCalls: calls.map(([name, args], index) => ({
    id: `c${index}`,
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
  })),
});

/** A plan of one agent task. */
export const agentPlan = (prompt = "Do it.") =>
  TaskData.parse({
    planned_tasks: [{ task_id: "work", execution_type: "agent", agent_id: "worker", arguments: { prompt } }],
  });

type Run = (input: Record<string, unknown>, signal: AbortSignal) => unknown;

/** An agent `worker` with tools that note their calls. */
export function agentWorld(model: ModelAgentOptions["model"], tools: Record<string, Run>, options: object = {}) {
  const calls: [string, unknown][] = [];
  const defined = Object.entries(tools).map(([id, run]) =>
    defineTool({
      id,
      description: `Does ${id}.`,
      input: { type: "object", properties: { q: { type: "string" } } },
      execute(input: Record<string, unknown>, { signal }) {
        calls.push([id, input]);
        return run(input, signal);
      },
    }),
  );
  const worker = defineAgent({ id: "worker", description: "Works.", model, ...options });
  return { calls, executors: [toolExecutor(defined), agentExecutor([worker])] };
}
