import type { ModelMessage } from "@planloom/controller";
import { isRecord } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";
import type { LoopMessage } from "./session.ts";

const roles: ReadonlySet<unknown> = new Set(["system", "user", "assistant"]);

/** The messages that a loop is given: one text, or a list. @throws RuntimeError INVALID_OPTION */
export function readUserInput(input: LoopMessage | readonly LoopMessage[]): readonly LoopMessage[] {
  const messages: unknown = Array.isArray(input) ? [...(input as readonly LoopMessage[])] : [input];
  if (isUserInput(messages)) return messages;
  const expected =
    "a text, or a list of at least one message: texts, or { role: system | user | assistant, content: text }";
  throw invalid("input", expected, input);
}

export function isUserInput(messages: unknown): messages is readonly LoopMessage[] {
  return Array.isArray(messages) && messages.length > 0 && messages.every(isMessage);
}

function isMessage(message: unknown): message is LoopMessage {
  if (typeof message === "string") return true;
  return isRecord(message) && roles.has(message.role) && typeof message.content === "string";
}

export function contentOf(message: LoopMessage): string {
  return typeof message === "string" ? message : message.content;
}

/**
 * The messages as a model is sent them after the rules: what the system said goes with the rules, because many chat templates refuse a
 * second system message.
 * @param last what comes after all that the system says. @default nothing
 */
export function asConversation(rules: string, input: readonly LoopMessage[], last = ""): ModelMessage[] {
  const all = input.map(
    (message): ModelMessage =>
      typeof message === "string"
        ? { role: "user", content: message }
        : { role: message.role, content: message.content },
  );
  const said = all.filter(({ role }) => role === "system").map(({ content }) => content);
  const content = [rules, ...said, ...(last === "" ? [] : [last])].join("\n\n");
  return [{ role: "system", content }, ...all.filter(({ role }) => role !== "system")];
}

/** The messages as one text, each with a newline; those that are not the user's say whose they are. */
export function inputText(input: readonly LoopMessage[]): string {
  const lines = input.map((message) =>
    typeof message === "string" || message.role === "user" ? contentOf(message) : `${message.role}: ${message.content}`,
  );
  return lines.map((line) => `${line}\n`).join("");
}
