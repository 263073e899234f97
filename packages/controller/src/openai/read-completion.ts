import { isRecord } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import type { ModelReply, ModelToolCall } from "../model.ts";
import { cut, shown as shownJson } from "../transport/cut.ts";

/** A reply before its price is known. */
export interface RawReply {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly tokens?: { readonly input: number; readonly output: number };
  readonly model?: string;
  readonly finishReason?: NonNullable<ModelReply["finishReason"]>;
}

/** Reads a whole chat completion. @throws ControllerError PROTOCOL, `details.body` (cut). */
export function readCompletion(body: unknown, url: string): RawReply {
  if (isRecord(body) && body.error !== undefined && body.choices === undefined) {
    throw protocolError(`Expected a chat completion from ${url}, got an error with status 200`, body.error);
  }
  if (!isRecord(body) || !Array.isArray(body.choices)) {
    throw protocolError(`Expected a chat completion with \`choices\` from ${url}, got something else`, body);
  }
  const [choice] = body.choices;
  if (choice === undefined) {
    throw noResponse(url, body);
  }
  const message = isRecord(choice) ? choice.message : undefined;
  if (!isRecord(choice) || !isRecord(message)) {
    throw protocolError(`Expected \`choices[0].message\` from ${url}, got none`, body);
  }
  const tokens = readTokens(body.usage);
  return {
    text: joinReasoning(readReasoning(message), readContent(message.content)),
    toolCalls: readToolCalls(message.tool_calls),
    ...(tokens ? { tokens } : {}),
    ...(typeof body.model === "string" ? { model: body.model } : {}),
    finishReason: readFinishReason(choice.finish_reason),
  };
}

/** Parses and reads the text of a response body. */
export function readCompletionText(text: string, url: string): RawReply {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw protocolError(`Expected JSON from ${url}, got text that is not JSON`, text, cause);
  }
  return readCompletion(body, url);
}

/** Fixed wording: Kirha's callers match on it. */
export function noResponse(url: string, body: unknown): ControllerError {
  return new ControllerError(ControllerErrorCode.PROTOCOL, "No response from model", {
    details: { url, body: shown(body) },
  });
}

export function protocolError(problem: string, body: unknown, cause?: unknown): ControllerError {
  return new ControllerError(
    ControllerErrorCode.PROTOCOL,
    `${problem}: ${shown(body)}. Does the URL point at an OpenAI-compatible API?`,
    { details: { body: shown(body) }, ...(cause === undefined ? {} : { cause }) },
  );
}

function shown(body: unknown): string {
  return typeof body === "string" ? cut(body) : shownJson(body);
}

/** `content` is text, or a list of parts of which the text counts. */
export function readContent(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  return Array.isArray(content)
    ? content.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("")
    : "";
}

/** Servers that take the think block out of the text put it in a field of its own. */
export function readReasoning(message: Readonly<Record<string, unknown>>): string {
  const reasoning = message.reasoning_content ?? message.reasoning;
  return typeof reasoning === "string" ? reasoning : "";
}

/** Puts a think block back where the model wrote it. */
export function joinReasoning(reasoning: string, content: string): string {
  return reasoning === "" ? content : `<think>${reasoning}</think>${content}`;
}

function readToolCalls(calls: unknown): ModelToolCall[] {
  if (!Array.isArray(calls)) {
    return [];
  }
  return calls.flatMap((call: unknown) => {
    const called = isRecord(call) ? call.function : undefined;
    if (!isRecord(call) || !isRecord(called) || typeof called.name !== "string" || called.name === "") {
      return [];
    }
    const written = called.arguments;
    return {
      id: typeof call.id === "string" ? call.id : "",
      name: called.name,
      // Some local servers send the arguments parsed.
      arguments: typeof written === "string" ? written : (JSON.stringify(written) ?? ""),
    };
  });
}

export function readTokens(usage: unknown): RawReply["tokens"] {
  return isRecord(usage) && typeof usage.prompt_tokens === "number"
    ? {
        input: usage.prompt_tokens,
        output: typeof usage.completion_tokens === "number" ? usage.completion_tokens : 0,
      }
    : undefined;
}

export function readFinishReason(reason: unknown): NonNullable<ModelReply["finishReason"]> {
  switch (reason) {
    case "stop":
    case "length":
    case "tool_calls":
    case "content_filter":
      return reason;
    default:
      return "other";
  }
}
