import { createHash, timingSafeEqual } from "node:crypto";
import { ServerError, ServerErrorCode } from "../errors.ts";

/** What a token may do: `read` looks, `run` plans, runs, changes and deletes, `approve` answers for people and lets calls through unasked. */
export const scopes = ["read", "run", "approve"] as const;
export type Scope = (typeof scopes)[number];

/** A bearer token and what it may do. */
export interface TokenOptions {
  /** The name of its holder: for the log, the rate limit, and the answers that are given with it. */
  readonly name: string;
  /** The secret itself, of at least 16 characters. */
  readonly token: string;
  /** @default all */
  readonly scopes?: readonly Scope[];
  /** The tenant whose plans, runs and tools it sees, and no others: a name of `tenants`. @default those of the server itself */
  readonly tenant?: string;
}

/** Who makes a request. */
export interface Caller {
  /** `undefined` on a server without tokens. */
  readonly name: string | undefined;
  readonly scopes: ReadonlySet<Scope>;
  readonly tenant: string | undefined;
}

const anyone: Caller = { name: undefined, scopes: new Set(scopes), tenant: undefined };
const minLength = 16;

/** The tokens of a server. They are compared by their digests, so that the time of a comparison says nothing about them. */
export class TokenList {
  readonly #callers: readonly { readonly digest: Buffer; readonly caller: Caller }[];

  /** @throws ServerError OPTION */
  constructor(tokens: readonly TokenOptions[], tenants: ReadonlySet<string>) {
    const names = new Set<string>();
    this.#callers = tokens.map((given, index) => {
      const { name, token, scopes: allowed = scopes, tenant } = given;
      const at = `tokens[${index}]`;
      if (typeof name !== "string" || name === "" || names.has(name))
        throw wrong(`${at}.name`, "a text that no other token has", name);
      names.add(name);
      const fault = faultOf(token);
      if (fault !== undefined) {
        const message = `Expected the token ${JSON.stringify(name)} (\`${at}.token\`) to be a text of at least ${minLength} characters without spaces, got ${fault}.`;
        throw new ServerError(ServerErrorCode.OPTION, message, { details: { option: `${at}.token`, name } });
      }
      const strange = allowed.find((scope) => !scopes.includes(scope));
      if (strange !== undefined) throw wrong(`${at}.scopes`, `of ${scopes.join(", ")}`, strange);
      if (tenant !== undefined && !tenants.has(tenant))
        throw wrong(`${at}.tenant`, `one of the tenants (${[...tenants].join(", ") || "there are none"})`, tenant);
      return { digest: digestOf(token), caller: { name, scopes: new Set(allowed), tenant } };
    });
  }

  get isEmpty(): boolean {
    return this.#callers.length === 0;
  }

  /** @throws ServerError UNAUTHENTICATED */
  callerOf(authorization: string | null): Caller {
    if (this.isEmpty) return anyone;
    const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
    const digest = digestOf(token ?? "");
    let found: Caller | undefined;
    // All are compared, whichever fits.
    for (const each of this.#callers) if (timingSafeEqual(each.digest, digest)) found = each.caller;
    if (found !== undefined && token !== undefined) return found;
    const message =
      token === undefined
        ? "Expected a token: the header `authorization: Bearer TOKEN`."
        : "The token is not one of this server's.";
    throw new ServerError(ServerErrorCode.UNAUTHENTICATED, message);
  }
}

/** What is wrong with a token, without its text, which is a secret. */
function faultOf(token: unknown): string | undefined {
  if (typeof token !== "string") return `a value of the type ${typeof token}`;
  if (token.length < minLength) return `one of ${token.length}`;
  return /\s/.test(token) ? "one with a space" : undefined;
}

/** @throws ServerError SCOPE */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  const has = [...caller.scopes].join(", ") || "none";
  const message = `Expected a token with the scope "${scope}"; this one has ${has}.`;
  throw new ServerError(ServerErrorCode.SCOPE, message, { details: { scope } });
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function wrong(option: string, expected: string, value: unknown): ServerError {
  const message = `Expected \`${option}\` to be ${expected}, got ${JSON.stringify(value)}.`;
  return new ServerError(ServerErrorCode.OPTION, message, { details: { option } });
}
