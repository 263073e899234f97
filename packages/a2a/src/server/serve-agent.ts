import type { Planloom } from "planloom";
import type { OptionChecks } from "planloom/plan";
import { isLoopback, listenOn } from "planloom/serving";
import { checkOptions, optionError } from "../check-options.ts";
import { httpServer } from "../http-server.ts";
import { checkPlanloom, type PlanAgentOptions, planAgentChecks } from "./agent-options.ts";
import { cardOf } from "./card.ts";
import { agentHandler, problem } from "./request-handler.ts";

export interface ServeAgentOptions extends PlanAgentOptions {
  /** 0 for any that is free. @default 0 */
  readonly port?: number | undefined;
  /** Where it listens. Beyond this machine it needs a token. @default "127.0.0.1" */
  readonly host?: string | undefined;
}

export interface AgentServer extends AsyncDisposable {
  /** What `connectAgents` and other clients are given. */
  readonly url: string;
  close(): Promise<void>;
}

const serveChecks = {
  ...planAgentChecks,
  port: "wholeNumber",
  host: "name",
} as const satisfies OptionChecks<ServeAgentOptions>;

/**
 * Serves a Planloom as an A2A agent. Without a token, requests that name another host than this machine, or come from a page, are refused.
 * @throws A2aError OPTION, also for a host beyond this machine without a token and for a key that cannot sign; the error of the port where it is taken
 */
export async function serveAgent(planloom: Planloom, options: ServeAgentOptions = {}): Promise<AgentServer> {
  checkPlanloom(planloom);
  checkOptions("`serveAgent`", options, serveChecks);
  const { port = 0, host = "127.0.0.1", ...rest } = options;
  if (rest.token === undefined && !isLoopback(host)) {
    throw optionError(
      "host",
      "this machine, since without `token` everyone who reaches the agent may do everything",
      host,
    );
  }
  const handler = agentHandler(planloom, rest);
  // What keeps the card from being made is known before anything listens.
  await cardOf(planloom, rest, "http://localhost/a2a");
  const fetch = async (request: Request): Promise<Response> => {
    return (rest.token === undefined ? refusalOfOthers(request) : undefined) ?? handler.fetch(request);
  };
  const server = httpServer(fetch, rest.bodyTimeoutMs ?? 30_000);
  const { origin, close: hangUp } = await listenOn(server, { host, port });
  const close = () => {
    handler.close();
    return hangUp();
  };
  return { url: origin, close, [Symbol.asyncDispose]: close };
}

/** A page can point its own name at this machine (DNS rebinding), and a page of another origin can post here. */
function refusalOfOthers(request: Request): Response | undefined {
  if (!isLoopback(new URL(request.url).hostname))
    return problem(
      421,
      "SERVER_HOST",
      "Expected the header `Host` to name this machine: without a token no other name is taken.",
    );
  if (request.headers.get("origin") !== null)
    return problem(403, "SERVER_ORIGIN", "Expected a request from a program, got one from a page.");
  return undefined;
}
