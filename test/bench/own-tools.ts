import { parseArgs } from "node:util";
import type { OwnCatalogue } from "./own-tools/catalogue.ts";
import { first } from "./own-tools/first.ts";
import { eachForms, type FormCount, mannerForms, ownerForms, pairForms, planOf } from "./own-tools/forms.ts";
import { fourth } from "./own-tools/fourth.ts";
import { isRight } from "./own-tools/judge.ts";
import { second } from "./own-tools/second.ts";
import { third } from "./own-tools/third.ts";
import { writingForms } from "./own-tools/writings.ts";
import { markdownTable } from "./report.ts";

/**
 * Goals over tools as people write them for a first try: `pnpm bench:own [--show] [--json]`. Thirty catalogues of 6 to 13 short tools, and goals that were
 * written with the plans that are right before any was planned. Prints how many plans are right and how many are silently wrong (likely by their own
 * account, with no open point and no approval), and of how many wordings of one request the same plan comes. `--show` prints what is wrong.
 */
export const sets: Readonly<Record<string, readonly OwnCatalogue[]>> = { first, second, third, fourth };

/** Goals after it that each one is joined with. */
const allPartners = 5;

/** A plan that is as likely right as this is no proposal. */
const likely = 0.8;

export interface SetCount {
  readonly set: string;
  readonly right: number;
  readonly silent: number;
  readonly all: number;
  /** Goals whose plan is not right. */
  readonly wrong: readonly string[];
}

export function countSet(set: string, catalogues: readonly OwnCatalogue[]): SetCount {
  const wrong: string[] = [];
  let all = 0;
  let silent = 0;
  for (const { tools, goals } of catalogues)
    for (const [goal, expected] of goals) {
      const plan = planOf(goal, tools);
      all += 1;
      if (isRight(plan, expected)) continue;
      wrong.push(goal);
      const { confidence = 0, unresolved = [] } = plan.metadata ?? {};
      const isMarked =
        (unresolved as readonly unknown[]).length > 0 ||
        plan.planned_tasks.some(({ approval }) => approval === "required");
      if (plan.planned_tasks.length > 0 && Number(confidence) >= likely && !isMarked) silent += 1;
    }
  return { set, right: all - wrong.length, silent, all, wrong };
}

export const catalogues: readonly OwnCatalogue[] = Object.values(sets).flat();

type Relation = (catalogues: readonly OwnCatalogue[], partners: number) => readonly FormCount[];
/** Relations by what they are about; each is counted when it is asked for. @param partners how many goals each is joined with */
export const relations: Readonly<Record<string, Relation>> = {
  "each of a list": (catalogues) => eachForms(catalogues),
  "what belongs to a thing": (catalogues) => ownerForms(catalogues),
  "when and how it is asked for": (catalogues) => mannerForms(catalogues, isRight),
  "two requests in one goal": (catalogues, partners) => pairForms(catalogues, isRight, partners),
  "how it is written": (catalogues) => writingForms(catalogues, isRight),
};

if (import.meta.filename === process.argv[1]) {
  const { values: options } = parseArgs({ options: { show: { type: "boolean" }, json: { type: "boolean" } } });
  const counted = Object.entries(sets).map(([set, catalogues]) => countSet(set, catalogues));
  const forms = Object.fromEntries(
    Object.entries(relations).map(([relation, count]) => [relation, count(catalogues, allPartners)]),
  );
  if (options.json) process.stdout.write(`${JSON.stringify({ sets: counted, forms })}\n`);
  else {
    const rows = counted.map(({ set, right, silent, all }) => ({
      goals: set,
      "whole plans right": `${right} of ${all}`,
      "silently wrong": silent,
    }));
    process.stdout.write(`${markdownTable(rows)}\n`);
    if (options.show) for (const { wrong } of counted) for (const goal of wrong) process.stdout.write(`- ${goal}\n`);
    for (const [relation, own] of Object.entries(forms)) {
      const lines = own.map(({ form, right, all }) => ({ [relation]: form, "the same plan": `${right} of ${all}` }));
      process.stdout.write(`\n${markdownTable(lines)}\n`);
      if (options.show) for (const { others } of own) for (const goal of others) process.stdout.write(`- ${goal}\n`);
    }
  }
}
