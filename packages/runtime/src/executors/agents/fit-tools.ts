import type { ModelTool } from "@planloom/controller";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import { shorten } from "./conversation.ts";

/** What the mark of a cut description takes at most; see `shorten`. */
const markCharacters = 40;

/** Tools as they are sent, and how many characters of a request they take. */
export interface FittedTools {
  readonly tools: readonly ModelTool[];
  readonly characters: number;
}

/**
 * The tools of an agent within its `maxPromptCharacters`, of which they take half at most, so that a conversation is left: above
 * that their descriptions are cut, all to one length, so that short ones stay whole. Names and schemas are sent whole. O(n log n)
 * @param askedCharacters what the agent is asked; it always stays
 * @throws TaskFailure INVALID_INPUT when what cannot be cut is more than `maxCharacters`
 */
export function fitTools(tools: readonly ModelTool[], askedCharacters: number, maxCharacters: number): FittedTools {
  const bare = tools.reduce((sum, { name, parameters }) => sum + name.length + JSON.stringify(parameters).length, 0);
  if (tools.length > 0 && bare + askedCharacters > maxCharacters) {
    const message =
      `The messages to the agent take ${askedCharacters} characters and the names and schemas of its ${tools.length} tools take ${bare}; ` +
      `\`maxPromptCharacters\` is ${maxCharacters}. Give the agent fewer \`tools\`, or raise it.`;
    const details = { asked: askedCharacters, tools: bare, max_prompt_characters: maxCharacters };
    throw new TaskFailure(TaskErrorCode.INVALID_INPUT, message, { retryable: false, details });
  }
  const half = Math.min(Math.floor(maxCharacters / 2), maxCharacters - askedCharacters);
  const described = tools.reduce((sum, { description }) => sum + description.length, 0);
  if (bare + described <= half) return { tools, characters: bare + described };
  const limit = commonLimit(
    tools.map(({ description }) => description.length),
    Math.max(0, half - bare),
  );
  const cut = tools.map((tool) => ({ ...tool, description: cutTo(tool.description, limit) }));
  return { tools: cut, characters: bare + cut.reduce((sum, { description }) => sum + description.length, 0) };
}

/** The most that each may have so that all together have no more than `total`. */
export function commonLimit(lengths: readonly number[], total: number): number {
  const sorted = [...lengths].sort((a, b) => a - b);
  let left = total;
  for (const [at, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function cutTo(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return limit > markCharacters ? shorten(text, limit - markCharacters) : text.slice(0, limit);
}
