import { createHash } from "node:crypto";
import { AgentCard, canonicalizeAgentCard } from "@a2a-js/sdk";
import { isLegacyAgentCard, parseLegacyAgentCard } from "@a2a-js/sdk/compat/v0_3/client";
import { base64url, decodeProtectedHeader, flattenedVerify, type JWK } from "jose";
import type { Resource } from "planloom";
import { z } from "zod";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { shown } from "./agent-fetch.ts";
import type { RemoteAgentOptions } from "./agent-options.ts";

/** What a card must have before the SDK reads it: it takes any JSON, and makes empty texts of what is missing. */
const RawCard = z.looseObject({
  name: z.string().min(1).max(1_000),
  description: z.string().max(100_000).default(""),
  skills: z
    .array(z.looseObject({ id: z.string(), name: z.string() }))
    .max(10_000)
    .default([]),
});

const wellKnown = "/.well-known/agent-card.json";

/** The address of an agent's card. */
export function cardUrl(base: URL): URL {
  if (base.pathname.endsWith(".json")) return base;
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/$/, "") + wellKnown;
  return url;
}

/**
 * Reads the card at `url`, of A2A 1.0 or 0.3.
 * @throws A2aError CARD, SIGNATURE, and what `send` throws
 */
export async function readCard(
  agent: string,
  url: URL,
  { keys }: Pick<RemoteAgentOptions, "keys">,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<AgentCard> {
  const unusable = (problem: string, cause?: unknown) =>
    new A2aError(A2aErrorCode.CARD, `The card of agent "${agent}" at ${shown(url)} cannot be used: ${problem}.`, {
      details: { agent, url: shown(url), problem },
      cause,
    });
  const response = await send(url, { headers: { accept: "application/json", "A2A-Version": "1.0" }, signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw unusable(`there is none (HTTP ${response.status})`);
  }
  let card: AgentCard;
  try {
    const raw: unknown = await response.json();
    const checked = RawCard.safeParse(raw);
    if (!checked.success) {
      const [first] = checked.error.issues;
      throw unusable(`\`${first?.path.join(".")}\`: ${first?.message}`);
    }
    card = isLegacyAgentCard(raw) ? parseLegacyAgentCard(raw) : AgentCard.fromJSON(raw);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof A2aError) throw cause;
    throw unusable("it is not a card in JSON", cause);
  }
  const addresses = card.supportedInterfaces.map((each) => each.url);
  if (addresses.length === 0) throw unusable("it names no interface");
  const broken = addresses.find((text) => !URL.canParse(text, url.href));
  if (broken !== undefined) throw unusable(`${JSON.stringify(broken.slice(0, 200))} is not a URL`);
  if (keys !== undefined) await checkSignature(agent, url, card, keys);
  return card;
}

/** @throws A2aError SIGNATURE where no signature is by one of the keys */
async function checkSignature(
  agent: string,
  url: URL,
  card: AgentCard,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const payload = new TextEncoder().encode(canonicalizeAgentCard(card));
  let reason: unknown;
  for (const { protected: head, signature } of card.signatures) {
    for (const key of keys) {
      try {
        const { kid } = decodeProtectedHeader({ protected: head, payload: "", signature });
        if (key.kid !== undefined && key.kid !== kid) continue;
        await flattenedVerify({ protected: head, payload: base64url.encode(payload), signature }, key as JWK);
        return;
      } catch (cause) {
        reason = cause;
      }
    }
  }
  const count =
    card.signatures.length === 0 ? "It has no signature" : "None of its signatures is by one of the keys given";
  throw new A2aError(A2aErrorCode.SIGNATURE, `The card of agent "${agent}" is not trusted. ${count}.`, {
    details: { agent, url: shown(url) },
    cause: reason,
  });
}

/** An agent as planners and executors see it. */
export function agentResource(name: string, card: AgentCard, options: RemoteAgentOptions): Resource {
  const skills = card.skills.map((skill) =>
    skill.description === "" ? skill.name : `${skill.name}: ${skill.description}`,
  );
  const tags = [...new Set(card.skills.flatMap((skill) => skill.tags))];
  const { readOnly, destructive, schema, output, estimate } = options;
  return {
    kind: "agent",
    id: name,
    name: card.name,
    description: card.description,
    protocol_type: "a2a",
    endpoint: endpointOf(card),
    ...(card.version !== "" && { version: card.version }),
    ...(skills.length > 0 && { skills }),
    ...(tags.length > 0 && { traits: tags }),
    ...(schema !== undefined && { input_schema: schema }),
    ...(output !== undefined && { output_schema: output }),
    ...(readOnly !== undefined && { read_only: readOnly }),
    ...(destructive !== undefined && { destructive }),
    ...(estimate !== undefined && { estimate }),
  };
}

/** A digest, since addresses may hold secrets. */
function endpointOf(card: AgentCard): string {
  const text = card.supportedInterfaces.map(({ url, protocolBinding, tenant }) =>
    [protocolBinding, url, tenant].join(" "),
  );
  return createHash("sha256").update(text.join("\n")).digest("hex").slice(0, 16);
}

/** Whether the agent, or one of its skills, takes a media type. An agent that names none takes text. */
export function takes(card: AgentCard, mediaType: string): boolean {
  const modes = [...card.defaultInputModes, ...card.skills.flatMap((skill) => skill.inputModes)];
  const [family] = mediaType.split("/");
  return modes.some((mode) => mode === mediaType || mode === "*/*" || mode === `${family}/*`);
}
