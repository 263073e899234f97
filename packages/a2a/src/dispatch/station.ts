import type { Resource } from "planloom";
import type { RemoteAgent } from "../client/remote-agent.ts";
import { SubgraphParams, subgraphExtension } from "../subgraph-extension.ts";

/** An agent, what it executes, and how much of it is under way. */
export interface Station {
  readonly agent: RemoteAgent;
  /** `kind:id` of what it executes. An agent that knows nothing of subgraphs executes tasks for itself alone. */
  readonly executes: ReadonlyMap<string, Resource>;
  readonly takesSubgraphs: boolean;
  underWay: number;
}

export function stationOf(agent: RemoteAgent): Station {
  const extension = agent.card.capabilities?.extensions.find(({ uri }) => uri === subgraphExtension);
  const params = SubgraphParams.safeParse(extension?.params);
  const known = params.success ? (params.data.resources as readonly Resource[]) : [];
  // Under the name that it has here, an agent executes its own tasks.
  const own = extension === undefined ? [agent.resource] : [];
  const executes = new Map([...known, ...own].map((resource) => [`${resource.kind}:${resource.id}`, resource]));
  return { agent, executes, takesSubgraphs: extension !== undefined, underWay: 0 };
}
