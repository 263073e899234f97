import { isLoopback } from "planloom/serving";
import { ServerError, ServerErrorCode } from "../errors.ts";

export interface HostRules {
  /** Names in the header `Host` that are this server, in addition to those of this machine. `undefined`: any, since a token is needed anyway. */
  readonly hosts: ReadonlySet<string> | undefined;
  /** Origins of pages that may make requests, in addition to the server's own. */
  readonly origins: ReadonlySet<string>;
}

/**
 * Refuses a request that a page of another site makes, and one for another name than the server's: a page can point its own name at this machine
 * (DNS rebinding), and would then count as the same origin. @throws ServerError HOST, ORIGIN
 */
export function checkHost(headers: Headers, url: string, { hosts, origins }: HostRules): void {
  const host = (headers.get("host") ?? new URL(url).host).toLowerCase();
  const name = host.replace(/:\d+$/, "");
  if (hosts !== undefined && !isLoopback(name) && !hosts.has(name) && !hosts.has(host)) {
    const message = `Expected a request to this server, got one to ${JSON.stringify(host.slice(0, 255))}. The option \`allowedHosts\` names what else it is called.`;
    throw new ServerError(ServerErrorCode.HOST, message, { details: { host: host.slice(0, 255) } });
  }
  const origin = headers.get("origin");
  if (origin === null || origins.has(origin) || origins.has("*")) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  const message = `Pages of ${JSON.stringify(origin.slice(0, 255))} may not make requests here. The option \`cors\` names the origins that may.`;
  throw new ServerError(ServerErrorCode.ORIGIN, message, { details: { origin: origin.slice(0, 255) } });
}
