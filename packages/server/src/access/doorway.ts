import type { ServerOptions } from "../server-options.ts";
import { checkHost, type HostRules } from "./hosts.ts";
import { RateLimiter } from "./rate-limit.ts";
import { type Caller, requireScope, type Scope, TokenList } from "./tokens.ts";

/** Who may come in: checks hosts, origins, tokens, scopes and rates, in this order. */
export class Doorway {
  readonly #rules: HostRules;
  readonly #tokens: TokenList;
  readonly #limiter: RateLimiter | undefined;

  /** @throws ServerError OPTION */
  constructor(options: ServerOptions, now: () => number) {
    const { tokens = [], tenants = {}, allowedHosts, cors = [], rateLimit } = options;
    this.#tokens = new TokenList(tokens, new Set(Object.keys(tenants)));
    // A page that points its own name here has no token, so any name may be used where one is needed.
    const hosts = allowedHosts ?? (this.#tokens.isEmpty ? [] : undefined);
    this.#rules = {
      hosts: hosts && new Set(hosts.map((host) => host.toLowerCase())),
      origins: new Set(cors),
    };
    this.#limiter = rateLimit === undefined ? undefined : new RateLimiter(rateLimit, now);
  }

  /** Whether everyone who reaches the server may do everything. */
  get isOpen(): boolean {
    return this.#tokens.isEmpty;
  }

  /** @throws ServerError HOST, ORIGIN */
  checkHost(request: Request): void {
    checkHost(request.headers, request.url, this.#rules);
  }

  /**
   * @param address of the client, where it is known
   * @throws ServerError RATE_LIMITED, UNAUTHENTICATED, SCOPE
   */
  admit(request: Request, scope: Scope, address: string | undefined): Caller {
    let caller: Caller;
    try {
      caller = this.#tokens.callerOf(request.headers.get("authorization"));
    } catch (error) {
      // Guesses are counted, too.
      this.#limiter?.take(`address ${address ?? ""}`);
      throw error;
    }
    this.#limiter?.take(caller.name === undefined ? `address ${address ?? ""}` : `token ${caller.name}`);
    requireScope(caller, scope);
    return caller;
  }
}
