import { checkOptions } from "../check-options.ts";
import { jsonCopy } from "../json-copy.ts";
import { describe, TaskErrorCode, TaskFailure } from "../task-error.ts";
import { safeFunctions } from "./safe-functions.ts";

/** Limits of JSONata expressions, which are data from outside. */
export const expressionLimits = {
  /** Characters of source. */
  sourceLength: 10_000,
  /** Brackets within brackets in the source. */
  sourceDepth: 100,
  /** Evaluations within evaluations; a recursive function takes several a call. */
  stack: 1_000,
  /** Elements of one sequence. */
  sequence: 1_000_000,
  /** Time limit of one evaluation in milliseconds; the event loop is not blocked meanwhile. */
  timeoutMs: 5_000,
  /** Milliseconds after which an evaluation lets others have a turn. */
  turnMs: 10,
  /** Size of the result as JSON, in bytes. */
  resultBytes: 32 * 1024 * 1024,
} as const;

export interface ExpressionOptions {
  /** What messages call the expression. @default "convertor_code" */
  readonly name?: string;
  /** @default expressionLimits.timeoutMs */
  readonly timeoutMs?: number;
}

type Compiled = import("jsonata").Expression;
const cacheSize = 500;
const cache = new Map<string, Compiled>();

/**
 * Evaluates a JSONata expression over plain JSON, within `expressionLimits`. Regular expressions run on an engine of
 * linear time. JSONata is loaded on first use.
 * @returns plain JSON, a copy of its own; `undefined` when the expression has no value.
 * @throws TaskFailure CONVERTOR, not retryable; RuntimeError INVALID_OPTION.
 */
export async function evaluateExpression(
  source: string,
  input: unknown,
  options: ExpressionOptions = {},
): Promise<unknown> {
  checkOptions("`evaluateExpression`", options, { name: "text", timeoutMs: "positive" });
  const { name = "convertor_code", timeoutMs = expressionLimits.timeoutMs } = options;
  const expression = await compile(source, name, timeoutMs);
  let result: unknown;
  try {
    result = await expression.evaluate(input);
  } catch (error) {
    throw failure(`${name} failed: ${messageOf(error)}`, error);
  }
  if (result === undefined) return undefined;
  try {
    return jsonCopy(result, { maxBytes: expressionLimits.resultBytes }).value;
  } catch (error) {
    throw failure(`${name} gave no JSON value: ${messageOf(error)}`, error);
  }
}

async function compile(source: string, name: string, timeoutMs: number): Promise<Compiled> {
  const key = `${timeoutMs} ${source}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  checkSource(source, name);
  const [{ default: jsonata }, { LinearRegex }] = await Promise.all([import("jsonata"), import("./linear-regex.ts")]);
  // Its own time limit goes by the clock on the wall: a clock that is set forward would fail an expression that has just begun.
  const options = {
    stack: expressionLimits.stack,
    sequence: expressionLimits.sequence,
    RegexEngine: LinearRegex as unknown as RegExpConstructor,
  };
  let expression: Compiled;
  try {
    expression = jsonata(source, options);
  } catch (error) {
    throw failure(`${name} is not a JSONata expression: ${messageOf(error)}`, error);
  }
  for (const { name: built, signature, make } of safeFunctions) {
    const original: unknown = await jsonata(`$${built}`).evaluate(null);
    const { implementation } = original as { implementation: (...args: unknown[]) => unknown };
    expression.registerFunction(built, make(implementation), signature);
  }
  // JSONata asks before each step of an evaluation; its types know names of variables only.
  expression.assign(Symbol.for("jsonata.__evaluate_entry") as unknown as string, limitTime(timeoutMs));
  if (cache.size >= cacheSize) cache.delete(cache.keys().next().value ?? "");
  cache.set(key, expression);
  return expression;
}

/** What JSONata gives its callbacks; `base` is one object for one evaluation. */
interface Environment {
  readonly base: object;
}

/** More time than this between two steps was not spent on the expression: its process was stopped, or its machine asleep. In milliseconds. */
const longestStepMs = 1_000;

/** Called before each step of an evaluation. @throws what JSONata throws when its time is over */
function limitTime(
  timeoutMs: number,
): (step: unknown, input: unknown, environment: Environment) => Promise<void> | undefined {
  const times = new WeakMap<object, { spentMs: number; atMs: number }>();
  return (_step, _input, { base }) => {
    const now = performance.now();
    const time = times.get(base);
    if (time === undefined) times.set(base, { spentMs: 0, atMs: now });
    else {
      time.spentMs += Math.min(now - time.atMs, longestStepMs);
      time.atMs = now;
      if (time.spentMs > timeoutMs) throw { code: "D1012", value: timeoutMs, stack: new Error().stack };
    }
    return turn(now);
  };
}

let turnBegan = 0;

/** Resolves after a turn of the event loop, where this one has lasted long enough; else at once. */
function turn(now: number): Promise<void> | undefined {
  const ranMs = now - turnBegan;
  if (ranMs >= 0 && ranMs < expressionLimits.turnMs) return undefined;
  return new Promise((resolve) => {
    setImmediate(() => {
      turnBegan = performance.now();
      resolve();
    });
  });
}

function checkSource(source: string, name: string): void {
  if (source.length > expressionLimits.sourceLength) {
    const { sourceLength } = expressionLimits;
    throw failure(`Expected ${name} of at most ${sourceLength} characters, got ${source.length}.`);
  }
  let depth = 0;
  for (const char of source) {
    if (char === "(" || char === "[" || char === "{") depth++;
    else if (char === ")" || char === "]" || char === "}") depth--;
    if (depth > expressionLimits.sourceDepth) {
      throw failure(`Expected ${name} with brackets nested at most ${expressionLimits.sourceDepth} deep, got more.`);
    }
  }
}

function messageOf(error: unknown): string {
  const message = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : undefined;
  return typeof message === "string" && message !== "" ? message : describe(error);
}

function failure(message: string, cause?: unknown): TaskFailure {
  return new TaskFailure(TaskErrorCode.CONVERTOR, message, { retryable: false, cause });
}
