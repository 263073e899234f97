import { isRecord } from "@planloom/plan";
import type { ControllerError } from "../../errors.ts";
import type { ModelToolCall } from "../../model.ts";
import { statusError } from "../../transport/status-error.ts";
import { webPageError } from "../../transport/web-page.ts";
import { joinReasoning, namedStatus, protocolError, type RawReply } from "../read-completion.ts";
import { countOf, type TokenCounts } from "../token-counts.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Parses and reads the body of a whole response. */
export function readResponseText(text: string, url: string): RawReply {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw webPageError(text, url) ?? protocolError(`Expected JSON from ${url}, got text that is not JSON`, text, cause);
  }
  return readResponse(body, url);
}

/**
 * Reads a response that has ended.
 * @param items its output items, where the response itself came without them
 * @throws ControllerError PROTOCOL, `details.body` (cut); STATUS or RATE_LIMIT for a response that failed
 */
export function readResponse(body: unknown, url: string, items: readonly unknown[] = []): RawReply {
  if (isRecord(body) && isRecord(body.error)) throw failedResponse(body.error, url);
  if (isRecord(body) && (body.status === "failed" || body.status === "cancelled")) {
    throw failedResponse({ message: `The endpoint ended the response as ${body.status}.` }, url);
  }
  if (!isRecord(body) || !Array.isArray(body.output)) {
    throw protocolError(`Expected a response with \`output\` from ${url}, got something else`, body);
  }
  const output = body.output.length > 0 ? body.output : items;
  const { text, reasoning, refusal, toolCalls } = readItems(output);
  const tokens = readResponseTokens(body.usage);
  return {
    text: joinReasoning(reasoning, text),
    toolCalls,
    ...(tokens && { tokens }),
    ...(typeof body.model === "string" && { model: body.model }),
    ...(refusal !== "" && { refusal }),
    finishReason: readEnd(body, toolCalls.length),
  };
}

/** Thoughts go with the call that they led to, since they are wanted back right before it. */
function readItems(output: readonly unknown[]) {
  const text: string[] = [];
  const thoughts: string[] = [];
  const refusal: string[] = [];
  const toolCalls: ModelToolCall[] = [];
  let reasoning: Fields[] = [];
  for (const item of output) {
    if (!isRecord(item)) continue;
    if (item.type === "reasoning") {
      reasoning.push(item);
      thoughts.push(textsOf(item.content) || textsOf(item.summary));
    }
    if (item.type === "message") {
      text.push(textsOf(item.content));
      if (Array.isArray(item.content)) {
        for (const part of item.content) {
          if (isRecord(part) && typeof part.refusal === "string") refusal.push(part.refusal);
        }
      }
    }
    if (item.type === "function_call" && typeof item.name === "string" && item.name !== "") {
      toolCalls.push(readCall(item, item.name, reasoning));
      reasoning = [];
    }
  }
  return { text: text.join(""), reasoning: thoughts.join(""), refusal: refusal.join(""), toolCalls };
}

function readCall(item: Fields, name: string, reasoning: readonly Fields[]): ModelToolCall {
  const { call_id: callId, id, arguments: written } = item;
  const data = {
    ...(typeof id === "string" && id !== "" && { id }),
    ...(reasoning.length > 0 && { reasoning }),
  };
  return {
    id: typeof callId === "string" ? callId : typeof id === "string" ? id : "",
    name,
    arguments: typeof written === "string" ? written : (JSON.stringify(written) ?? ""),
    ...(Object.keys(data).length > 0 && { providerData: data }),
  };
}

function textsOf(parts: unknown): string {
  if (!Array.isArray(parts)) return typeof parts === "string" ? parts : "";
  return parts.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function readEnd(body: Fields, calls: number): NonNullable<RawReply["finishReason"]> {
  if (body.status === "incomplete") {
    const reason = isRecord(body.incomplete_details) ? body.incomplete_details.reason : undefined;
    return reason === "content_filter" ? "content_filter" : reason === "max_output_tokens" ? "length" : "other";
  }
  return calls > 0 ? "tool_calls" : "stop";
}

function readResponseTokens(usage: unknown): TokenCounts | undefined {
  const input = isRecord(usage) ? countOf(usage.input_tokens) : undefined;
  if (!isRecord(usage) || input === undefined) return undefined;
  const output = countOf(usage.output_tokens) ?? 0;
  const cached = detail(usage.input_tokens_details, "cached_tokens");
  const reasoning = detail(usage.output_tokens_details, "reasoning_tokens");
  return {
    input,
    output,
    ...(cached !== undefined && { cached: Math.min(cached, input) }),
    ...(reasoning !== undefined && { reasoning: Math.min(reasoning, output) }),
  };
}

function detail(details: unknown, name: string): number | undefined {
  return isRecord(details) ? countOf(details[name]) : undefined;
}

/** The error of a response that failed: of the status that a refused request would have had, so that it is judged likewise. */
export function failedResponse(error: Fields, url: string): ControllerError {
  const isNamed = (error.code ?? error.type ?? "") !== "";
  const status = namedStatus(error) ?? (isNamed ? 400 : 500);
  return statusError(url, { status, headers: new Headers() }, JSON.stringify({ error }), [], 0);
}
