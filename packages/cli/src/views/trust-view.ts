import type { TaskData } from "planloom";
import type { Style } from "../terminal/style.ts";
import { isRecord } from "../terminal/table.ts";
import { wrapped } from "../terminal/wrap.ts";

/** What a planner's number means, from what value on. */
const meanings: readonly (readonly [from: number, words: string])[] = [
  [0.8, "likely right"],
  [0.5, "probably right"],
  [0.3, "uncertain"],
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

/** A plan of a goal as it is saved where no person was shown it: its calls that are not read-only ask before they are made. */
export function unseen(plan: TaskData): TaskData {
  return { ...plan, metadata: { ...plan.metadata, unseen: true } };
}

/** The plan as it is saved once a person has edited it. */
export function seen(plan: TaskData): TaskData {
  if (!wasUnseen(plan)) return plan;
  const { unseen: _, ...metadata } = plan.metadata ?? {};
  return { ...plan, metadata };
}

/** Whether a plan was saved by `unseen`. */
export function wasUnseen({ metadata }: Pick<TaskData, "metadata">): boolean {
  return metadata?.unseen === true;
}

/** Why a planner calls its plan a proposal, as sentences. */
function proposalReasons({ metadata }: Pick<TaskData, "metadata">): string[] {
  const issues: readonly unknown[] = Array.isArray(metadata?.issues) ? metadata.issues : [];
  return issues.flatMap((issue) => {
    const { code, message } = isRecord(issue) ? issue : {};
    return code === "proposal" && typeof message === "string" ? [message] : [];
  });
}

/** The line that marks a proposal, with what its planner thinks of it; nothing for other plans. */
export function proposalLine(plan: Pick<TaskData, "metadata">, style: Style, words = ""): string {
  if (!isProposal(plan)) return "";
  const mark = style.glyph("◌", "?");
  const about = words === "" ? "" : ` (${words})`;
  const said = `This is a proposal${about}: look at its tools and arguments.`;
  // A likelihood, which is shown beside, says why by itself.
  const reasons = typeof plan.metadata?.confidence === "number" ? [] : proposalReasons(plan);
  const lines = [said, ...reasons].flatMap((text) => wrapped(text, style.width - 4));
  return lines.map((line, at) => `  ${style.paint("yellow", `${at === 0 ? mark : " "} ${line}`)}\n`).join("");
}
