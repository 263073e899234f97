import type { Resource } from "@planloom/plan";
import { oneLine } from "./one-line.ts";

/** A call of a plan that is asked about. */
export interface VerifiedCall {
  /** Absent where nobody knows it. */
  readonly resource?: Resource;
  readonly id: string;
  readonly arguments: unknown;
}

const maxDescription = 200;
const maxArguments = 400;
const maxCalls = 16;

/**
 * What a model is asked with one word: whether these calls do what a goal asks for. The calls are not fenced as data, which made small models doubt right plans too; no text in them can do
 * more than speak for its own call, and what is asked about is a proposal at best.
 */
export function verifyPrompt(
  goal: string,
  calls: readonly VerifiedCall[],
): { readonly system: string; readonly user: string } {
  const lines = calls.slice(0, maxCalls).map(({ id, resource, arguments: given }) => {
    const what = oneLine(resource?.description ?? "", maxDescription);
    return `- ${id}(${oneLine(JSON.stringify(given ?? {}), maxArguments)})${what === "" ? "" : `: ${what}`}`;
  });
  return {
    system: "Check a plan of calls against a request. Answer yes or no.",
    user: `Request: ${goal}\n\nCalls:\n${lines.join("\n")}\n\nDo these calls do what the request asks for?`,
  };
}
