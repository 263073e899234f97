import { expect, test } from "vitest";
import { isFuzzing, trials } from "../support/cases.ts";
import { catalogues, countSet, relations, sets } from "./own-tools.ts";

/** Wordings of the goals of every fifth catalogue, by `pnpm test:trials` of every third, and by `pnpm fuzz` and the bench of all: tens of thousands of plans. */
const some = catalogues.filter((_, at) => isFuzzing || at % trials(3, 5) === 0);

/** What was reached when these goals were last worked on; less is a change to look at. */
test.for([
  ["first", 96, 1],
  ["second", 82, 0],
  ["third", 35, 0],
  ["fourth", 118, 2],
] as const)("goals over tools of one's own, %s set", ([set, right, silent]) => {
  const counted = countSet(set, sets[set]!);
  expect(counted.right).toBeGreaterThanOrEqual(right);
  expect(counted.silent).toBeLessThanOrEqual(silent);
});

test.for([
  ["each of a list", 0.88],
  ["what belongs to a thing", 0.9],
  ["when and how it is asked for", 0.9],
  ["two requests in one goal", 0.87],
  ["how it is written", 0.97],
] as const)("one plan for many wordings: %s", ([relation, share]) => {
  const forms = relations[relation]!(some, 2);
  const sum = (of: "right" | "all") => forms.reduce((all, form) => all + form[of], 0);
  expect(sum("all")).toBeGreaterThan(trials(60, 20));
  expect(sum("right") / sum("all")).toBeGreaterThanOrEqual(share);
});
