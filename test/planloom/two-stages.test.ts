import { defineAgent, defineLlm, defineTool, defineWorkflow, type Resource } from "planloom";
import { AgentsPlanner, bindWith, LLMSelectorPlanner, Planner, ToolsPlanner } from "planloom/planner";
import { agentExecutor, llmExecutor, PlanAndExecuteL2, toolExecutor, workflowExecutor } from "planloom/runtime";
import { scriptedController, scriptedModel } from "planloom/testing";
import { expect, test } from "vitest";

// Seed 003's end-to-end example: Stage 1 gives tasks of type l2_task, each goes through Stage 2 to its backend.

const executors = [
  agentExecutor([
    defineAgent({
      id: "agent-42",
      description: "Reads papers",
      send: ({ doc }) => ({ success: true, data: `read ${doc}` }),
    }),
  ]),
  toolExecutor([
    defineTool({ id: "count", description: "Counts words", execute: ({ text }) => String(text).split(" ").length }),
  ]),
  llmExecutor([defineLlm({ id: "gpt", description: "Writes", model: scriptedModel(["a summary"]) })]),
  workflowExecutor([
    defineWorkflow({
      id: "publish",
      description: "Publishes",
      plan: {
        planned_tasks: [
          { task_id: "n", execution_type: "tool", tool_id: "count", arguments: { text: "${input.text}" } },
        ],
      },
    }),
  ]),
];
const resources: Resource[] = executors.flatMap((executor) => [...executor.resources()]);

test("a job goes from Stage 1 through Stage 2 to agents, tools, models and workflows", async () => {
  const step = (uid: string, input_data: object) => ({
    phase2: { success: true, data: { uid, input_data, plan: `use ${uid}` } },
  });
  const controller = scriptedController([
    {
      phase1: {
        success: true,
        data: ["agent", "tools", "llm", "dsl"].map((sub_type) => ({
          task_id: sub_type,
          execution_type: "l2_task",
          description: `The ${sub_type} part`,
          parameters: { sub_type },
        })),
      },
    },
    step("agent-42", { doc: "paper" }),
    step("count", { text: "one two three" }),
    // The only llm takes any data beside its prompt, so nothing is left to decide there.
    step("publish", { text: "four words are here" }),
  ]);
  const planner = new Planner({ controller, resources });
  planner.setCustomDescription("note", "Use only verified agents.");
  planner.generateFinalInput({
    job_goal: { objective: "Summarize research papers" },
    job_objectives: { accuracy: "high", summary_length: "short" },
    job_steerability_data: { tone: "formal", max_tokens: 200 },
    task_description: "Break this job into tasks for agents or tools",
  });
  const plan = await planner.createPlan({ task_description: planner.getFullDescription() });
  const planners = {
    agent: new AgentsPlanner({ controller }),
    tool: new ToolsPlanner({ controller }),
    llm: new LLMSelectorPlanner({ controller }),
  };
  planners.agent.prepareAgents(resources);
  planners.tool.prepareTools(resources);
  planners.llm.prepareLlms(resources);
  // A workflow's own tasks are of other kinds, so here Stage 2 is for all kinds.
  const bind = bindWith({ controller, resources, llmData: { model: "gpt-4" } });

  const done: unknown[] = [];
  for (const task of plan.planned_tasks) {
    expect(PlanAndExecuteL2.accepts(task)).toBe(true);
    const executor = new PlanAndExecuteL2({
      task,
      executors,
      ...(task.execution_type === "dsl" ? { bind } : { planners, llmConfig: { model: "gpt-4" } }),
    });
    done.push(await executor.executeModule({ text: "Paper text" }));
  }
  expect(done).toEqual([
    { output: "read paper", plan: "use agent-42" },
    { output: 3, plan: "use count" },
    { output: { text: "a summary", model: "scripted" } },
    { output: 4, plan: "use publish" },
  ]);
  controller.assertDone();
  expect(controller.requests[1]?.request).toMatchObject({ phase_2_data: { llm_data: { model: "gpt-4" } } });
});
