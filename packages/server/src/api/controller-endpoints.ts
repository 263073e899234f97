import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { AnyObject } from "./records.ts";

const taskInput = z.looseObject({
  task_input_data: z.string().describe("The whole prompt."),
  n_history_samples: z
    .int()
    .min(0)
    .optional()
    .describe("How many earlier requests with their answers the model is shown."),
  llm_data: AnyObject.optional().describe("Settings of the model call."),
});

/** Bodies of the Agents Planning System are read by the controller's own reader, whose refusals have that system's form. */
const phase = (number: 1 | 2) =>
  z
    .looseObject({ search_id: z.string(), [`phase_${number}_data`]: taskInput })
    .describe("Fields of `HttpController` may go along: `job`, `resources`, `context`, `task`, `input`, `feedback`.");

const reply = {
  status: 200,
  description: "400 is a request that cannot be read, 500 one that failed, each with `success: false` and `message`.",
  schema: z.object({ success: z.boolean(), data: z.unknown().optional(), message: z.string().optional() }),
} as const;

export const controllerEndpoints = {
  processPhase1: {
    summary: "Stage 1 of the Agents Planning System: a job becomes tasks.",
    tag: "controller",
    scope: "run",
    starts: true,
    body: phase(1),
    reply,
  },
  processPhase2: {
    summary: "Stage 2 of it: a task becomes a resource and its input.",
    tag: "controller",
    scope: "run",
    starts: true,
    body: phase(2),
    reply,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
