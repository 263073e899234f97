import type { Caller } from "../access/tokens.ts";
import type { Workspace } from "../workspace.ts";
import type { ReplyOf, RequestOf } from "./endpoints.ts";
import type { EndpointName } from "./routes.ts";

/** A request that was let in and checked, and the home that it is about. */
export type AdmittedRequest<Name extends EndpointName> = RequestOf<Name> & {
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly headers: Headers;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
  /** What the id of a run that is started is made of, where the request has an idempotency key: so it is the same run after a crash, too. */
  readonly keyDigest: string | undefined;
};

/** Answers with what becomes JSON, or with a whole response where the answer is not JSON or has another status. */
export type Handler<Name extends EndpointName> = (request: AdmittedRequest<Name>) => Promise<ReplyOf<Name> | Response>;

export type HandlersOf<Names extends EndpointName> = { readonly [Name in Names]: Handler<Name> };

/**
 * The id of a run, or of a signal, that a request starts: the one that it names, else one that is made of its idempotency key, so that the same key is the
 * same run, also where the process died before it answered. Undefined where it has neither.
 */
export function startedId(named: string | undefined, keyDigest: string | undefined): string | undefined {
  return named ?? (keyDigest === undefined ? undefined : `key-${keyDigest.slice(0, 24)}`);
}
