import { planGoal } from "@planloom/embedded";
import { isRecord } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";
import { Any, type Call, type Trade, trades } from "./goals-of-trades.ts";

/** The goals were written before any of them was planned; what is right of them is not to get less. */
const rightAtLeast = 26;

test(`of the goals of ten trades, at least ${rightAtLeast} are planned as a careful person would`, () => {
  const goals = Object.values(trades).flatMap((trade) => trade.goals.map((goal) => ({ trade, goal })));
  const right = goals.filter(({ trade, goal: [goal, calls] }) => isRight(trade, goal, calls));
  expect(right.length).toBeGreaterThanOrEqual(rightAtLeast);
});

test.for([
  "Calculate the instalments for a $20,000 loan over 5 years at an annual rate of 6%, and for a $30,000 loan over 10 years at an annual rate of 5.5%.",
  "I want to treat 6 colonies with oxalic acid and another 9 colonies with formic acid. I don't need a repetition.",
  "What are the mean and the variance of [4, 8, 15, 16, 23, 42]?",
  "What's the hydration of a dough made of 500 grams of flour, 350 grams of water and 100 grams of starter?",
  "List wars of Denmark and of Prussia from 1848 to 1866.",
])("%s", (wanted) => {
  const [found] = Object.values(trades).flatMap((trade) =>
    trade.goals.filter(([goal]) => goal === wanted).map(([goal, calls]) => isRight(trade, goal, calls)),
  );
  expect(found).toBe(true);
});

function isRight({ tools }: Trade, goal: string, calls: readonly Call[]): boolean {
  const { plan } = planGoal(goal, tools, { now: "2024-01-01T00:00:00Z", timeZone: "UTC" });
  const steps = stepsOf(plan.planned_tasks);
  const open = [...calls];
  return (
    steps.length === calls.length &&
    steps.every(({ tool, params }) => {
      const at = open.findIndex(([name, wanted]) => name === tool && isEqual(wanted, params));
      if (at >= 0) open.splice(at, 1);
      return at >= 0;
    })
  );
}

/** Equal but for the case of letters. */
function isEqual(wanted: unknown, got: unknown): boolean {
  if (wanted instanceof Any) return wanted.values.some((each) => isEqual(each, got));
  if (typeof wanted === "string" && typeof got === "string") return wanted.toLowerCase() === got.toLowerCase();
  if (Array.isArray(wanted) && Array.isArray(got))
    return wanted.length === got.length && wanted.every((each, at) => isEqual(each, got[at]));
  if (isRecord(wanted) && isRecord(got))
    return [...new Set([...Object.keys(wanted), ...Object.keys(got)])].every((key) => isEqual(wanted[key], got[key]));
  return wanted === got;
}
