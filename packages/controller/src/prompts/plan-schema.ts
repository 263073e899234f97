import type { JsonSchema } from "@planloom/plan";

const text = { type: "string" } as const;

/**
 * What a model is to write of a plan: the fields of `PlannerTask` that are a planner's to decide. Times, status,
 * output and the like are filled in by us, so a model cannot get them wrong.
 */
export const planSchema = {
  type: "object",
  properties: {
    tasks: {
      type: "array",
      items: {
        type: "object",
        properties: {
          task_id: { ...text, description: "Short unique name: letters, digits, underscores." },
          description: { ...text, description: "What is to be done, in one sentence." },
          execution_type: { type: "string", enum: ["tool", "agent", "llm", "dsl"] },
          tool_id: { ...text, description: "Id of the tool, for execution_type tool." },
          agent_id: { ...text, description: "Id of the agent, for execution_type agent." },
          parameters: {
            type: "object",
            properties: { uid: { ...text, description: "Id of the model or workflow, for llm and dsl." } },
          },
          arguments: { type: "object", description: "Values for the resource's input_schema." },
          dependencies: { type: "array", items: text, description: "task_ids that must be done first." },
          instructions: { ...text, description: "Anything else the executor must know." },
        },
        required: ["task_id", "description", "execution_type", "arguments", "dependencies"],
      },
    },
  },
  required: ["tasks"],
} as const satisfies JsonSchema;

/** Stage 2's answer. */
export const stepSchema = {
  type: "object",
  properties: {
    uid: { ...text, description: "Id of the chosen resource." },
    input_data: { type: "object", description: "Fits the input_schema of that resource." },
    plan: { ...text, description: "Why, in one sentence." },
  },
  required: ["uid", "input_data"],
} as const satisfies JsonSchema;
