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
  /**
   * Elements of all lists that steps of one evaluation give; of a list that is counted out (`[1..n]`), each counts ten times. A list that functions and operators
   * are handed again and again is counted once.
   */
  elements: 50_000_000,
  /** Characters of all texts that its functions and operators give; those of a text that `&` puts together count a quarter. */
  characters: 100_000_000,
  /** Comparisons to put lists in order with `^(…)`: those of some 10,000 elements. `$sort` takes longer lists. */
  comparisons: 150_000,
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

/** Functions that make texts of their own, which may be as long as those that they are given, or longer. */
const textFunctions = [
  "lowercase",
  "uppercase",
  "replace",
  "join",
  "string",
  "base64encode",
  "base64decode",
  "encodeUrl",
  "encodeUrlComponent",
  "decodeUrl",
  "decodeUrlComponent",
] as const;

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
    return jsonCopy(result, { maxBytes: expressionLimits.resultBytes, finite: true }).value;
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
    const { implementation } = await builtIn(built);
    expression.registerFunction(built, make(implementation), signature);
  }
  // JSONata calls these before and after each step of an evaluation; its types know names of variables only.
  const { onEntry, onExit, onText } = limitWork(timeoutMs, partsOf(expression.ast()));
  for (const made of textFunctions) {
    const original = await builtIn(made);
    expression.assign(made, { ...original, implementation: counted(original.implementation, onText) });
  }
  expression.assign(Symbol.for("jsonata.__evaluate_entry") as unknown as string, onEntry);
  expression.assign(Symbol.for("jsonata.__evaluate_exit") as unknown as string, onExit);
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

/** As much of a node of JSONata's syntax tree as is looked at. */
interface Step {
  readonly type: string;
  readonly value?: unknown;
}

/** What one evaluation has used of its limits. */
interface Work {
  spentMs: number;
  atMs: number;
  elements: number;
  characters: number;
  comparisons: number;
  /** Lists that were handed over before. */
  readonly handed: WeakSet<object>;
}

/** Nodes of a syntax tree whose place says what becomes of what they give. */
interface Parts {
  /** The expressions by which `^(…)` puts lists in order. */
  readonly terms: ReadonlySet<unknown>;
  /** Arguments of functions and operands, which are read, and become no part of the list that the step around them gives. */
  readonly operands: ReadonlySet<unknown>;
  /** Texts within a longer one: `a & b` of `a & b & c`. */
  readonly beginnings: ReadonlySet<unknown>;
}

/**
 * Called before and after each step of an evaluation; what a step gives is counted, since lists and texts within an evaluation can be larger than memory though each
 * of them is within bounds. @throws what JSONata throws when its time is over, and an error where another limit is passed
 */
function limitWork(timeoutMs: number, { terms, operands, beginnings }: Parts) {
  const works = new WeakMap<object, Work>();
  const workOf = (base: object, now: number): Work => {
    const known = works.get(base);
    if (known !== undefined) return known;
    const begun = { spentMs: 0, atMs: now, elements: 0, characters: 0, comparisons: 0, handed: new WeakSet() };
    works.set(base, begun);
    return begun;
  };
  const onEntry = (step: Step, _input: unknown, { base }: Environment): Promise<void> | undefined => {
    const now = performance.now();
    const work = workOf(base, now);
    work.spentMs += Math.min(now - work.atMs, longestStepMs);
    work.atMs = now;
    if (work.spentMs > timeoutMs) throw { code: "D1012", value: timeoutMs, stack: new Error().stack };
    // A comparison asks for each term twice.
    if (terms.has(step)) work.comparisons += 0.5;
    if (work.comparisons > expressionLimits.comparisons)
      throw new Error(
        "a list is too long to be put in order with ^(…), by some 10,000 elements; $sort takes longer ones",
      );
    return turn(now);
  };
  const addText = (base: object, characters: number): void => {
    const work = workOf(base, 0);
    work.characters += characters;
    if (work.characters > expressionLimits.characters)
      throw new Error(
        `its texts have more than ${expressionLimits.characters} characters together; $join makes one text of many at once`,
      );
  };
  const onText = (base: object, text: string): void => addText(base, text.length);
  const onExit = (step: Step, _input: unknown, { base }: Environment, result: unknown): void => {
    const { type, value } = step;
    if (Array.isArray(result)) {
      const work = workOf(base, 0);
      if (operands.has(step)) {
        if (work.handed.has(result)) return;
        work.handed.add(result);
      }
      work.elements += type === "binary" && value === ".." ? 10 * result.length : result.length;
      if (work.elements > expressionLimits.elements)
        throw new Error(`its lists have more than ${expressionLimits.elements} elements together`);
      // What `&` gives shares the memory of what it was put together from, until something reads it.
    } else if (typeof result === "string" && type === "binary" && !beginnings.has(step))
      addText(base, result.length / 4);
  };
  return { onEntry, onExit, onText };
}

/** A function of JSONata itself. */
interface BuiltIn {
  readonly implementation: (this: unknown, ...given: unknown[]) => unknown;
}
const builtIns = new Map<string, Promise<BuiltIn>>();

function builtIn(name: string): Promise<BuiltIn> {
  const known =
    builtIns.get(name) ?? import("jsonata").then(({ default: jsonata }) => jsonata(`$${name}`).evaluate(null));
  builtIns.set(name, known);
  return known;
}

/** Counts the text that a function returns, because JSONata makes the last call within a function without a step. The arity stays the same, because JSONata reads it. */
function counted(original: BuiltIn["implementation"], onText: (base: object, text: string) => void) {
  const count = (base: object | undefined, result: unknown): unknown => {
    if (typeof result === "string" && base !== undefined) onText(base, result);
    return result;
  };
  const counting = function (this: { readonly environment?: Environment }, ...given: unknown[]): unknown {
    const base = this?.environment?.base;
    const result = original.apply(this, given);
    return result instanceof Promise ? result.then((text) => count(base, text)) : count(base, result);
  };
  return Object.defineProperty(counting, "length", { value: original.length });
}

/** As much of any node as says what its parts are. */
interface Node {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly terms?: readonly { readonly expression: unknown }[];
  readonly arguments?: readonly unknown[];
  readonly lhs?: unknown;
  readonly rhs?: unknown;
  readonly steps?: readonly unknown[];
}

/** At any depth of a syntax tree. */
function partsOf(tree: unknown): Parts {
  const terms = new Set<unknown>();
  const operands = new Set<unknown>();
  const beginnings = new Set<unknown>();
  const read = (operand: unknown) => {
    // What the last step of a path gives is handed on as it is, where it is one list.
    operands.add(operand).add((operand as Node | undefined)?.steps?.at(-1));
  };
  const seen = new Set<unknown>([tree]);
  for (const node of seen) {
    const { type, value, terms: order, arguments: given, lhs, rhs } = node as Node;
    if (type === "sort") for (const { expression } of order ?? []) terms.add(expression);
    if (type === "function" || type === "partial") for (const argument of given ?? []) read(argument);
    if (type === "binary") for (const operand of [lhs, rhs]) read(operand);
    if (type === "binary" && value === "&") beginnings.add(lhs);
    if (type === "apply") read(lhs);
    for (const part of Object.values(node as object)) if (typeof part === "object" && part !== null) seen.add(part);
  }
  return { terms, operands, beginnings };
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
