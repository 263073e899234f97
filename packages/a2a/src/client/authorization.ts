import type { AgentCard, SecurityScheme } from "@a2a-js/sdk";
import { A2aError, A2aErrorCode } from "../errors.ts";
import type { Credential, RemoteAgentOptions } from "./agent-options.ts";

/** Adds to a request what one of the card's security requirements asks for. */
export type Authorize = (url: URL, headers: Headers, signal: AbortSignal | undefined) => Promise<void>;

/**
 * What authenticates requests to an agent: its own headers, then the first of the card's security requirements (each names schemes that must all be met) for
 * which all credentials are given.
 * @throws A2aError AUTH where the card has requirements and no credentials meet one
 */
export function authorization(
  agent: string,
  card: AgentCard,
  options: RemoteAgentOptions,
  send: typeof fetch,
): Authorize {
  const credentials = new Map(Object.entries(options.credentials ?? {}));
  const own = Object.entries(options.headers ?? {});
  const requirement = chosenRequirement(agent, card, credentials, own.length > 0);
  const parts = requirement.map((name) =>
    schemeAuthorize(agent, name, card.securitySchemes[name], credentials.get(name)!, send),
  );
  return async (url, headers, signal) => {
    for (const [name, value] of own) headers.set(name, value);
    for (const part of parts) await part(url, headers, signal);
  };
}

/** Texts that must not show up anywhere. */
export function secretsOf({ headers = {}, credentials = {} }: RemoteAgentOptions): string[] {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(" ")]);
  const given = Object.values(credentials).flatMap((each) =>
    typeof each === "string" ? [each] : "password" in each ? [each.password] : [each.clientSecret],
  );
  return [...words, ...given].filter((text) => text.length >= 4);
}

function chosenRequirement(
  agent: string,
  card: AgentCard,
  credentials: ReadonlyMap<string, Credential>,
  hasHeaders: boolean,
): string[] {
  const requirements = card.securityRequirements.map(({ schemes }) => Object.keys(schemes));
  const met = requirements.find((names) => names.every((name) => credentials.has(name)));
  if (met !== undefined) return met;
  // Headers of one's own may be what the card wants; the agent says if they are not.
  if (requirements.length === 0 || hasHeaders)
    return [...credentials.keys()].filter((name) => Object.hasOwn(card.securitySchemes, name));
  const wanted = requirements.map((names) => names.join(" with ")).join(", or ");
  const message = `Agent "${agent}" wants credentials: ${wanted}. Give them in \`credentials\`, by these names.`;
  throw new A2aError(A2aErrorCode.AUTH, message, { details: { agent, schemes: Object.keys(card.securitySchemes) } });
}

function schemeAuthorize(
  agent: string,
  name: string,
  { scheme }: SecurityScheme = { scheme: undefined },
  credential: Credential,
  send: typeof fetch,
): Authorize {
  const wrong = (expected: string) => {
    const message = `Expected the credential "${name}" of agent "${agent}" to be ${expected}, as its card says.`;
    return new A2aError(A2aErrorCode.AUTH, message, { details: { agent, schemes: [name] } });
  };
  const text = (): string => {
    if (typeof credential === "string") return credential;
    throw wrong("a text");
  };
  switch (scheme?.$case) {
    case "apiKeySecurityScheme": {
      const { location, name: field } = scheme.value;
      const key = text();
      return async (url, headers) => {
        if (location === "query") url.searchParams.set(field, key);
        else if (location === "cookie") headers.append("cookie", `${field}=${encodeURIComponent(key)}`);
        else headers.set(field, key);
      };
    }
    case "httpAuthSecurityScheme": {
      const value = httpAuthorization(scheme.value.scheme, credential, wrong);
      return async (_, headers) => headers.set("authorization", value);
    }
    case "oauth2SecurityScheme": {
      const flow = scheme.value.flows?.flow;
      if (typeof credential === "string")
        return async (_, headers) => headers.set("authorization", `Bearer ${credential}`);
      if (!("clientId" in credential) || flow?.$case !== "clientCredentials") {
        throw wrong(
          flow?.$case === "clientCredentials" ? "an access token, or { clientId, clientSecret }" : "an access token",
        );
      }
      const token = clientCredentialsToken(agent, flow.value, credential, send);
      return async (_, headers, signal) => headers.set("authorization", `Bearer ${await token(signal)}`);
    }
    case "openIdConnectSecurityScheme": {
      const value = `Bearer ${text()}`;
      return async (_, headers) => headers.set("authorization", value);
    }
    default:
      throw wrong("of a scheme that is known here (an API key, HTTP, OAuth 2 or OpenID Connect)");
  }
}

function httpAuthorization(scheme: string, credential: Credential, wrong: (expected: string) => A2aError): string {
  if (scheme.toLowerCase() === "basic") {
    if (typeof credential === "string" || !("username" in credential)) throw wrong("{ username, password }");
    return `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString("base64")}`;
  }
  if (typeof credential !== "string") throw wrong("a text");
  return `${scheme.toLowerCase() === "bearer" ? "Bearer" : scheme} ${credential}`;
}

/** A token of the client credentials grant (RFC 6749, section 4.4), requested again a minute before it expires. Requests at the same time share one. */
function clientCredentialsToken(
  agent: string,
  { tokenUrl, scopes }: { readonly tokenUrl: string; readonly scopes: Readonly<Record<string, string>> },
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  send: typeof fetch,
): (signal: AbortSignal | undefined) => Promise<string> {
  let held: { readonly token: string; readonly until: number } | undefined;
  const failed = (problem: string, cause?: unknown) =>
    new A2aError(A2aErrorCode.AUTH, `No access token for agent "${agent}" could be had: ${problem}.`, {
      details: { agent },
      cause,
    });
  return async (signal) => {
    if (held !== undefined && held.until > Date.now()) return held.token;
    const scope = Object.keys(scopes).join(" ");
    const body = new URLSearchParams({ grant_type: "client_credentials", ...(scope !== "" && { scope }) });
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString("base64");
    const headers = { authorization: `Basic ${basic}`, accept: "application/json" };
    const within = AbortSignal.any([AbortSignal.timeout(tokenTimeoutMs), ...(signal === undefined ? [] : [signal])]);
    const response = await send(tokenUrl, { method: "POST", body, headers, redirect: "manual", signal: within }).catch(
      (cause: unknown) => {
        signal?.throwIfAborted();
        throw failed("its token endpoint cannot be reached", cause);
      },
    );
    if (!response.ok) throw failed(`its token endpoint answers with HTTP ${response.status}`);
    const answer: unknown = await response.json().catch(() => undefined);
    const { access_token: token, expires_in: seconds } = (answer ?? {}) as {
      access_token?: unknown;
      expires_in?: unknown;
    };
    if (typeof token !== "string" || token === "") throw failed("its token endpoint gives none");
    const lasts = typeof seconds === "number" && seconds > 0 ? seconds * 1000 : unknownLifeMs;
    held = { token, until: Date.now() + Math.max(0, lasts - earlierMs) };
    return token;
  };
}

const tokenTimeoutMs = 30_000;
/** A token without an expiry is requested again after so long. */
const unknownLifeMs = 300_000;
const earlierMs = 60_000;
