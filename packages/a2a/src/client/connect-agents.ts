import type { Executor, Resource } from "planloom";
import { type ConnectFailure, connectAll, connectionsOf } from "planloom/plan";
import { checkOptions, optionError } from "../check-options.ts";
import { A2aError, A2aErrorCode } from "../errors.ts";
import {
  agentChecks,
  type ConnectOptions,
  connectChecks,
  linkSettings,
  type RemoteAgentOptions,
} from "./agent-options.ts";
import { Conversation } from "./conversation.ts";
import type { PushReceiver } from "./push-receiver.ts";
import { RemoteAgent } from "./remote-agent.ts";

/** How one agent fared. */
export interface AgentStatus {
  readonly name: string;
  readonly connected: boolean;
  /** Why an optional agent is missing. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Connected agents. */
export interface A2aConnection extends AsyncDisposable {
  /** Kind `agent`; its resources are `resources`. */
  readonly executor: Executor;
  /** As they are now, in the order given; an id is the agent's name there. The same object until a card says something else. */
  readonly resources: readonly Resource[];
  /** In the order given; disabled ones are left out. */
  readonly agents: readonly AgentStatus[];
  /** Takes a push that came to `push.url`, where another server than the connection's own listens there. Of the URL the end of the path is read. */
  takePush(request: Request): Promise<Response>;
  /** Fails calls in flight with CLOSED. Safe to call again. */
  close(): Promise<void>;
}

/**
 * Connects agents by their cards, all at once, and offers them as resources.
 * @param agents by the names that plans use
 * @throws A2aError OPTION; that of an agent that is not `optional` and fails, several as CONNECT
 */
export async function connectAgents(
  agents: Readonly<Record<string, RemoteAgentOptions>>,
  options: ConnectOptions = {},
): Promise<A2aConnection> {
  checkOptions("`connectAgents`", options, connectChecks);
  checkOptions("`connectAgents`", { agents }, { agents: { each: agentChecks } });
  for (const name of Object.keys(agents))
    if (!isName(name)) throw optionError("agents", namesExpected, JSON.stringify(name));
  const signal = options.signal ?? new AbortController().signal;
  const settings = await linkSettings(options);
  const { receiver } = settings;
  const wanted = Object.entries(agents).filter(([, { disabled }]) => disabled !== true);
  const connecting = wanted.map(([name, agent]) => ({
    name,
    isOptional: agent.optional === true,
    connect: () => RemoteAgent.connect(name, agent, settings, signal),
  }));
  const outcomes = await connectAll(connecting, signal, severalFailed).catch(async (error: unknown) => {
    await receiver?.close();
    throw error;
  });
  const status = wanted.map(([name], at): AgentStatus => {
    const outcome = outcomes[at]!;
    return outcome.status === "fulfilled"
      ? { name, connected: true }
      : { name, connected: false, error: described(outcome.reason) };
  });
  return connectionOf(connectionsOf(outcomes), status, receiver);
}

const agentsByConnection = new WeakMap<A2aConnection, readonly RemoteAgent[]>();

/** The agents behind a connection. @throws A2aError OPTION for what `connectAgents` did not give */
export function agentsOf(connection: A2aConnection): readonly RemoteAgent[] {
  const agents = agentsByConnection.get(connection);
  if (agents === undefined) throw optionError("connection", "what `connectAgents` gave", typeof connection);
  return agents;
}

function connectionOf(
  agents: readonly RemoteAgent[],
  status: readonly AgentStatus[],
  receiver: PushReceiver | undefined,
): A2aConnection {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  let resources: readonly Resource[] = agents.map(({ resource }) => resource);
  const offered = (): readonly Resource[] => {
    const now = agents.map(({ resource }) => resource);
    if (now.some((resource, at) => resource !== resources[at])) resources = now;
    return resources;
  };
  const close = async () => {
    for (const agent of agents) agent.close();
    await receiver?.close();
  };
  const executor: Executor = {
    kind: "agent",
    resources: offered,
    unavailable(uid) {
      const missing = status.find(({ name, connected }) => name === uid && !connected);
      return missing && `Agent "${uid}" is not connected: ${missing.error?.message}`;
    },
    reattaches: (uid) => byName.has(uid),
    async execute({ uid, input_data }, context) {
      const agent = byName.get(uid);
      if (agent !== undefined) return new Conversation(agent, context).output(input_data);
      throw new A2aError(A2aErrorCode.UNKNOWN_AGENT, `No agent "${uid}" is connected.`, {
        details: { uid, known: [...byName.keys()].slice(0, 20) },
      });
    },
  };
  const connection: A2aConnection = {
    executor,
    get resources() {
      return offered();
    },
    agents: status,
    takePush: async (request) => receiver?.take(request) ?? new Response(undefined, { status: 404 }),
    close,
    [Symbol.asyncDispose]: close,
  };
  agentsByConnection.set(connection, agents);
  return connection;
}

const namesExpected = "names of 1 to 64 letters, digits, _, . and -";
const isName = (name: string): boolean => /^[\w.-]{1,64}$/.test(name) && !(name in Object.prototype);

function described(reason: unknown): { code: string; message: string } {
  return reason instanceof A2aError
    ? { code: reason.code, message: reason.message }
    : { code: A2aErrorCode.PROTOCOL, message: reason instanceof Error ? reason.message : String(reason) };
}

function severalFailed(failures: readonly ConnectFailure[]): A2aError {
  const list = failures.map(({ name, reason }) => ({ agent: name, ...described(reason) }));
  const lines = list.map(({ agent, code, message }) => `  ${agent}: ${message} [${code}]`);
  return new A2aError(A2aErrorCode.CONNECT, `${list.length} agents could not be connected:\n${lines.join("\n")}`, {
    details: { failures: list },
    cause: new AggregateError(failures.map(({ reason }) => reason)),
  });
}
