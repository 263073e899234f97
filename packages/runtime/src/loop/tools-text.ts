import { isRecord, type Resource } from "@planloom/plan";
import { commonLimit } from "../executors/agents/fit-tools.ts";

const maxDescription = 160;
const maxParameters = 12;

/**
 * The tools that steps can be executed with, a line each: id, arguments, what it does. Together in at most `maxCharacters`: longer descriptions are cut
 * first, then tools are left out and counted. Empty where there are none.
 */
export function toolsText(tools: readonly Resource[], maxCharacters: number): string {
  const calls = tools.map(callOf);
  const words = tools.map(({ description }) => oneLine(description));
  const bare = calls.reduce((sum, call) => sum + call.length + frame, 0);
  const limit = commonLimit(
    words.map(({ length }) => Math.min(length, maxDescription)),
    Math.max(0, maxCharacters - bare),
  );
  const most = Math.min(maxDescription, limit);
  const lines: string[] = [];
  let left = maxCharacters;
  for (const [at, call] of calls.entries()) {
    const line = `- ${call}${most < leastDescription ? "" : `: ${cutTo(words[at]!, most)}`}`;
    left -= line.length + 1;
    if (left < 0 && lines.length > 0) break;
    lines.push(line);
  }
  const more = tools.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more tools`] : [])].join("\n");
}

/** What a line has beside the call and the description. */
const frame = "- : \n".length;
/** Less says nothing. */
const leastDescription = 12;

/** `id(argument, optional?)`. */
function callOf({ id, input_schema }: Resource): string {
  const { properties, required } = isRecord(input_schema) ? input_schema : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const ordered = [...names.filter((name) => needed.has(name)), ...names.filter((name) => !needed.has(name))];
  const shown = ordered.slice(0, maxParameters).map((name) => (needed.has(name) ? name : `${name}?`));
  return `${id}(${[...shown, ...(ordered.length > shown.length ? ["…"] : [])].join(", ")})`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function cutTo(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
