import { isRecord } from "@planloom/plan";
import type { ModelToolCall } from "../model.ts";
import { dataOfCall } from "./provider-data.ts";

/** The calls of a message or of a piece of one: in a list, alone, or in the field of before there were lists of them (older servers and proxies). */
export function callsOf({ tool_calls: calls, function_call: called }: Readonly<Record<string, unknown>>): unknown[] {
  const listed = Array.isArray(calls) ? calls : isRecord(calls) ? [calls] : [];
  return listed.length === 0 && isRecord(called) ? [{ index: 0, function: called }] : listed;
}

/** Name and arguments of a call, which some servers write without `function` around them. */
export function functionOf(call: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  if (isRecord(call.function)) return call.function;
  return call.function === undefined && ("name" in call || "arguments" in call) ? call : undefined;
}

/** Arguments as text: some local servers send them parsed, and nothing for none. */
export function argumentsOf({ arguments: written }: Readonly<Record<string, unknown>>): string {
  if (typeof written === "string") return written;
  return written === undefined || written === null ? "" : JSON.stringify(written);
}

/** The calls of a whole message. */
export function readCalls(message: Readonly<Record<string, unknown>>): ModelToolCall[] {
  return callsOf(message).flatMap((call) => {
    const called = isRecord(call) ? functionOf(call) : undefined;
    if (!isRecord(call) || called === undefined || typeof called.name !== "string" || called.name === "") return [];
    const providerData = dataOfCall(call);
    return {
      id: typeof call.id === "string" ? call.id : "",
      name: called.name,
      arguments: argumentsOf(called),
      ...(providerData !== undefined && { providerData }),
    };
  });
}
