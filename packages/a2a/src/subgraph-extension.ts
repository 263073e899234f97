import { TaskData } from "planloom";
import type { DispatchRequest } from "planloom/runtime";
import { z } from "zod";

/** The A2A extension by which subgraphs go from one Planloom to another. */
export const subgraphExtension = "urn:planloom:a2a:subgraph:1";

/**
 * A subgraph as one agent sends it to another, in a data part of its own. `expects` says in words what is expected back, for agents that know nothing of the
 * extension.
 */
export const SubgraphMessage = z.object({
  subgraph: z.object({
    id: z.string(),
    /** Its tasks, and as completed ones those whose outputs they need. */
    plan: z.custom<DispatchRequest["plan"]>((value) => TaskData.safeParse(value).success, "Expected a plan"),
    /** What references call `input`. */
    input: z.record(z.string(), z.unknown()),
    expects: z.string(),
  }),
});
export type SubgraphMessage = z.infer<typeof SubgraphMessage>;

/** The name of the artifact that reports how one task of a subgraph ended. */
export const taskArtifact = (taskId: string): string => `task:${taskId}`;
/** The name of the artifact with the whole of a subgraph's results. */
export const replyArtifact = "results";

/** What an agent says of the extension on its card: what it executes, so that plans for it can be made and judged elsewhere. */
export const SubgraphParams = z.object({
  resources: z.array(
    z.looseObject({
      kind: z.enum(["agent", "tool", "llm", "dsl"]),
      id: z.string().min(1),
      description: z.string(),
    }),
  ),
});

/** How one task ended, as an agent reports it while the subgraph runs. */
export const TaskReportMessage = z.object({
  task_id: z.string(),
  uid: z.string().optional(),
  attempts: z.number().int().min(0),
  started_ms: z.number().min(0),
  duration_ms: z.number().min(0),
  output: z.unknown(),
});

const status = z.enum(["completed", "failed", "skipped", "cancelled", "waiting_approval", "waiting", "pending"]);

/** How all tasks of a subgraph ended, and what they used. */
export const SubgraphResults = z.object({
  results: z.array(
    z.looseObject({
      task_id: z.string(),
      status,
      attempts: z.number().int().min(0),
      started_ms: z.number(),
      duration_ms: z.number(),
    }),
  ),
  usage: z.looseObject({ attempts: z.number(), input_tokens: z.number(), output_tokens: z.number() }),
});
