import type { TaskData } from "planloom";
import type { Style } from "../terminal/style.ts";

/** What a planner's number means, from what value on. */
const meanings: readonly (readonly [from: number, words: string])[] = [
  [0.8, "likely right"],
  [0.65, "probably right"],
  [0.4, "uncertain"],
  [0, "a guess"],
];

/** "likely right, 0.83", or nothing where the planner says no number. A plan file says what it likes there. */
export function confidenceWords({ metadata }: Pick<TaskData, "metadata">): string {
  const confidence = metadata?.confidence;
  if (typeof confidence !== "number" || !(confidence >= 0 && confidence <= 1)) return "";
  const words = meanings.find(([from]) => confidence >= from)?.[1] ?? "a guess";
  return `${words}, ${Number(confidence.toFixed(2))}`;
}

/** Whether the planner calls its plan a proposal. */
export function isProposal({ metadata }: Pick<TaskData, "metadata">): boolean {
  return metadata?.proposal === true;
}

/** The line that marks a proposal; nothing for other plans. */
export function proposalLine(plan: Pick<TaskData, "metadata">, style: Style): string {
  if (!isProposal(plan)) return "";
  const words = confidenceWords(plan);
  const mark = `${style.glyph("◌", "?")} A proposal${words === "" ? "" : ` (${words})`}: look at its tools and arguments.`;
  return `  ${style.paint("yellow", mark)}\n`;
}
