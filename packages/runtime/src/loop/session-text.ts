import { restOf, shorten } from "../executors/agents/conversation.ts";
import type { ReadableOutputs } from "../executors/agents/readable-outputs.ts";
import type { LoopVariables } from "./prompts.ts";
import type { ExecutedStep, LoopPlan, LoopSession } from "./session.ts";
import { inputText } from "./user-input.ts";

/** Least characters of a result that stays in a prompt. */
const leastResult = 200;

/**
 * A session as prompts hold it; together not much longer than `maxCharacters`, for which results are cut.
 * @param outputs keeps results that were cut, for a model that can read them
 */
export function loopVariables(session: LoopSession, maxCharacters: number, outputs?: ReadableOutputs): LoopVariables {
  const input = inputText(session.UserInput);
  const plan = planText(session.Plan ?? { steps: [] });
  const left = maxCharacters - input.length - plan.length;
  return { input, plan, executed_steps: executedText(session.ExecutedSteps, left, outputs) };
}

/** The plan as JSON, its own fields after those that every plan has. */
function planText({ steps, depends_on, ...own }: LoopPlan): string {
  return JSON.stringify({ steps, ...(depends_on !== undefined && { depends_on }), ...own });
}

/**
 * Executed steps with their results in at most `maxCharacters`, or a little more: long results are cut, all to the same length
 * except the last one, which may take half of all; when even the shortest do not fit, the oldest steps are left out and counted.
 */
export function executedText(steps: readonly ExecutedStep[], maxCharacters: number, outputs?: ReadableOutputs): string {
  const whole = formatSteps(steps);
  if (whole.length <= maxCharacters) return whole;
  const last = steps.at(-1)!;
  const forLast = Math.min(last.result.length, Math.max(leastResult, Math.floor(maxCharacters / 2)));
  const kept: ExecutedStep[] = [];
  let left = maxCharacters - last.step.length - forLast;
  let at = steps.length - 2;
  for (; at >= 0; at--) {
    const { step, result } = steps[at]!;
    left -= step.length + Math.min(result.length, leastResult) + frameLength;
    if (left < 0) break;
    kept.push(steps[at]!);
  }
  kept.reverse();
  const cap = evenCap(
    kept.map(({ result }) => result.length),
    left,
  );
  const cutTo = (result: string, limit: number, number: number) => {
    if (outputs === undefined || result.length <= limit) return shorten(result, limit);
    const name = `step-${number}`;
    outputs.keep(name, result);
    return shorten(result, limit, { name, characters: result.length });
  };
  const shown = kept.map((each, index) => ({ ...each, result: cutTo(each.result, cap, at + index + 2) }));
  const text = formatSteps([...shown, { ...last, result: cutTo(last.result, forLast, steps.length) }]);
  if (at < 0) return text;
  for (const [index, { result }] of steps.slice(0, at + 1).entries()) outputs?.keep(`step-${index + 1}`, result);
  const rest = outputs === undefined ? "" : ` ${restOf(at === 0 ? "step-1" : `step-1" to "step-${at + 1}`)}.`;
  return `(${at + 1} earlier steps are left out here.${rest})\n\n${text}`;
}

function formatSteps(steps: readonly ExecutedStep[]): string {
  return steps.map(({ step, result }) => `Step: ${step}\nResult: ${result}\n\n`).join("");
}

/** Characters that the form takes for one step. */
const frameLength = "Step: \nResult: \n\n".length;

/** The largest length to which all may be cut so that no more than `spare` is used beyond `leastResult` each. O(n log n). */
function evenCap(lengths: readonly number[], spare: number): number {
  const longer = lengths.map((length) => length - leastResult).filter((length) => length > 0);
  longer.sort((a, b) => a - b);
  let left = Math.max(0, spare);
  for (const [index, length] of longer.entries()) {
    const share = left / (longer.length - index);
    if (length > share) return leastResult + Math.floor(share);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
