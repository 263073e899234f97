import type { Resource } from "@planloom/plan";
import { planSchema } from "./plan-schema.ts";

/** The answer to a replan: tasks as in a plan, each with the marked tasks it replaces, and those that are dropped. */
export function replanSchema(resources: readonly Resource[] = [], marked: readonly string[] = []) {
  const { tasks } = planSchema(resources).properties;
  const ids = { type: "array", items: marked.length === 0 ? { type: "string" } : { type: "string", enum: marked } };
  return {
    type: "object",
    properties: {
      tasks: {
        type: "array",
        items: {
          ...tasks.items,
          properties: {
            ...tasks.items.properties,
            replaces: { ...ids, minItems: 1, description: "The marked tasks in whose place it stands." },
          },
          required: [...tasks.items.required, "replaces"],
        },
      },
      drop: { ...ids, description: "Marked tasks with nothing in their place." },
      reason: { type: "string", description: "What was changed and why, in one sentence." },
    },
    required: ["tasks"],
  };
}
