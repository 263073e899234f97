import { PlanError, PlanErrorCode } from "../errors.ts";
import { type TaskCosts, unknownCosts } from "./task-costs.ts";

/** Costs as a caller has them, one column each. */
export type CostColumns = { readonly [name in keyof TaskCosts]?: ArrayLike<number> | undefined };

const names = [
  "work",
  "tokens",
  "outBytes",
  "outTokens",
  "failProb",
  "affinity",
] as const satisfies (keyof TaskCosts)[];

/**
 * The costs of n tasks: those of the columns that are there, the others unknown. O(n).
 * @throws PlanError INVALID, with the column and the task.
 */
export function costsOfColumns(n: number, columns: CostColumns): TaskCosts {
  checkLengths(n, columns);
  for (const name of names) if (columns[name] !== undefined) checkColumn(name, columns[name]);
  const { work, tokens, outBytes, outTokens, failProb, affinity } = columns;
  const unknown = unknownCosts(n);
  return {
    work: work === undefined ? unknown.work : Float64Array.from(work),
    tokens: tokens === undefined ? unknown.tokens : Float64Array.from(tokens),
    outBytes: outBytes === undefined ? unknown.outBytes : Float64Array.from(outBytes),
    outTokens: outTokens === undefined ? unknown.outTokens : Float64Array.from(outTokens),
    failProb: failProb === undefined ? unknown.failProb : Float64Array.from(failProb),
    affinity: affinity === undefined ? unknown.affinity : Int32Array.from(affinity),
  };
}

function checkColumn(name: keyof TaskCosts, column: ArrayLike<number>): void {
  const most = name === "failProb" ? 1 : Number.MAX_VALUE;
  for (let task = 0; task < column.length; task++) {
    const value = column[task]!;
    if (value >= 0 && value <= most && (name !== "affinity" || Number.isInteger(value))) continue;
    throw invalid(`${name}[${task}]`, expectedOf(name), String(value));
  }
}

/** @throws PlanError INVALID for a column that has not one entry a task. */
export function checkLengths(n: number, columns: CostColumns): void {
  for (const name of names) {
    const { length = n } = columns[name] ?? {};
    if (length !== n) throw invalid(name, `one entry for each of ${n} tasks`, `${length}`);
  }
}

function expectedOf(name: keyof TaskCosts): string {
  if (name === "affinity") return "a number of a task class, from 0";
  return name === "failProb" ? "a number from 0 to 1" : "a finite number of at least 0";
}

function invalid(path: string, expected: string, got: string): PlanError {
  const message = `Expected \`${path}\` to be ${expected}, got ${got}.`;
  return new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [{ path, message }] } });
}
