import { readOutput, withoutThinking } from "@planloom/controller";
import { branchNames, type Choose, isRecord, type ReferenceLookup } from "@planloom/plan";
import { describe, TaskErrorCode, TaskFailure, taskErrorFrom } from "../task-error.ts";
import { askCondition } from "./condition.ts";

/** The output of a task with `choose`: a field for each branch, true for the chosen one, which is why no branch has the name of another field. */
export interface Decision {
  readonly chosen: string;
  /** What the resource answered, where one decided. */
  readonly answer?: unknown;
  readonly [branch: string]: unknown;
}

/**
 * The first branch whose condition is true. Conditions after it are not asked. A promise where an expression has to be evaluated.
 * @throws TaskFailure (or rejects) REFERENCE, CONDITION, CHOICE where none is true and there is no else
 */
export function decideByConditions(choose: Choose, lookup: ReferenceLookup, from = 0): Decision | Promise<Decision> {
  const { branches } = choose;
  for (let number = from; number < branches.length; number++) {
    const { name, condition = "" } = branches[number]!;
    const place = `\`choose.branches[${number}].condition\``;
    const asked = askCondition(condition, lookup, { name: place });
    if (!("value" in asked)) {
      return asked.evaluated.then(
        (value) =>
          isTrue(value, place, condition) ? decision(choose, name) : decideByConditions(choose, lookup, number + 1),
        (thrown: unknown) => {
          const { message } = taskErrorFrom(thrown);
          throw new TaskFailure(TaskErrorCode.CONDITION, message, { retryable: false, details: { condition } });
        },
      );
    }
    if (isTrue(asked.value, place, condition)) return decision(choose, name);
  }
  if (choose.else !== undefined) return decision(choose, choose.else);
  const message = "None of the conditions of its branches is true, and `choose.else` names no branch for this case.";
  throw new TaskFailure(TaskErrorCode.CHOICE, message, {
    retryable: false,
    details: { branches: branchNames(choose) },
  });
}

function isTrue(value: unknown, place: string, condition: string): boolean {
  if (typeof value === "boolean") return value;
  const got = value === undefined ? "nothing" : describe(value);
  const message = `Expected ${place} to give true or false, got ${got}: ${condition}`;
  throw new TaskFailure(TaskErrorCode.CONDITION, message, { retryable: false, details: { condition } });
}

function decision(choose: Choose, chosen: string): Decision {
  return { chosen, ...Object.fromEntries(branchNames(choose).map((name) => [name, name === chosen])) };
}

/**
 * What a resource decided: its output names a branch as a text, or in a field `chosen`, `branch` or `text`; `null` in place of a name means the else, also where
 * a model writes it.
 * @throws TaskFailure CHOICE, which another attempt may mend
 */
export function decideByAnswer(choose: Choose, answer: unknown): Decision {
  const names = branchNames(choose);
  const named = readName(answer, names);
  const chosen = named === null ? choose.else : named;
  if (chosen !== undefined) return { ...decision(choose, chosen), answer };
  const expected = `one of the branches ${names.join(", ")}`;
  const message = `Expected the output to name ${expected}, as a text or in a field \`chosen\`, got ${describe(answer)}.`;
  throw new TaskFailure(TaskErrorCode.CHOICE, message, { details: { branches: names } });
}

/** The branch that an answer names; null for one that says that it is none of them, undefined for one that does not say. */
function readName(answer: unknown, names: readonly string[]): string | null | undefined {
  if (answer === null) return null;
  if (typeof answer === "string") return nameIn(answer, names);
  if (!isRecord(answer)) return undefined;
  for (const field of ["chosen", "branch", "text"]) {
    const value = Object.hasOwn(answer, field) ? answer[field] : undefined;
    if (typeof value === "string") return nameIn(value, names);
    if (value === null && field !== "text") return null;
  }
  return undefined;
}

/** A name that is the whole of a text but for case, quotes and a full stop, or that a JSON object in it gives. Prose is not searched for names. */
function nameIn(text: string, names: readonly string[]): string | null | undefined {
  if (names.includes(text)) return text;
  const answer = withoutThinking(text).trim();
  const plain = answer.replaceAll(/^["'`*\s]+|["'`*.\s]+$/g, "").toLowerCase();
  const alike = names.filter((name) => name.toLowerCase() === plain);
  if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined;
  if (answer === "null") return null;
  if (!answer.includes("{")) return undefined;
  const read = readOutput(answer, { prefer: ["chosen", "branch"] });
  const isClear = read.found && read.contradiction === undefined;
  return isClear && isRecord(read.value) && !("text" in read.value) ? readName(read.value, names) : undefined;
}
