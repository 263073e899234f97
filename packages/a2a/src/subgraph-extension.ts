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
