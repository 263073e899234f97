import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { readCatalogue } from "../../../packages/embedded/src/catalogue/catalogue.ts";
import type { Profile } from "../../../packages/embedded/src/catalogue/profile.ts";
import { linkOptions, minSureLink } from "../../../packages/embedded/src/draft/link.ts";
import type { OwnCatalogue } from "./catalogue.ts";

/** Plans that come of one wording. */
export interface FormCount {
  readonly form: string;
  readonly right: number;
  readonly all: number;
  /** Goals whose plan is another one. */
  readonly others: readonly string[];
}

export const clock = { now: "2026-11-29", timeZone: "UTC" } as const;
export type OwnPlan = ReturnType<typeof planGoal>["plan"];
export const planOf = (goal: string, tools: readonly Resource[]): OwnPlan => planGoal(goal, tools, clock).plan;

/** The calls of a plan and what they are given, without waits. */
export const callsOf = ({ planned_tasks }: OwnPlan): string =>
  JSON.stringify(
    planned_tasks.flatMap(({ tool_id, arguments: given = {}, for_each = null }) =>
      tool_id === undefined ? [] : [[tool_id, given, for_each]],
    ),
  );

export class Counts {
  readonly #forms = new Map<string, { right: number; others: string[] }>();

  add(form: string, goal: string, isRight: boolean): void {
    const own = this.#forms.get(form) ?? { right: 0, others: [] };
    if (isRight) own.right += 1;
    else own.others.push(goal);
    this.#forms.set(form, own);
  }

  all(): FormCount[] {
    return [...this.#forms].map(([form, { right, others }]) => ({ form, right, all: right + others.length, others }));
  }
}

const pluralOf = (noun: string): string =>
  /(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;

const isList = ({ effect, output }: Profile): boolean => effect === "reads" && output.many && output.known;

/**
 * Something is done with each of a list: a tool that lists rows and needs nothing, and one that needs the id of such a row alone. All forms of a pair come to
 * one plan: the list, and the call for each row.
 */
export function eachForms(catalogues: readonly OwnCatalogue[]): FormCount[] {
  const counts = new Counts();
  for (const { tools } of catalogues) {
    const { profiles } = readCatalogue(tools);
    for (const list of profiles.filter((each) => isList(each) && each.parameters.every(({ required }) => !required)))
      for (const act of profiles) {
        const [id, more] = act.parameters.filter(({ required }) => required);
        const [verb = "", noun = ""] = [act.verbs[0], list.entity.at(-1)];
        if (act === list || id?.isIdentifier !== true || more !== undefined || !id.entity.includes(noun)) continue;
        if ((linkOptions(list, act, (each) => each === id)[0]?.score ?? 0) < minSureLink || !/^[a-z]+$/.test(verb))
          continue;
        const many = pluralOf(noun);
        const state = list.parameters
          .flatMap(({ choices }) => choices)
          .find(({ value }) => /^[a-z]+$/.test(String(value)));
        const add = (form: string, goal: string, value?: unknown) => {
          const [first, second, third] = planOf(goal, tools).planned_tasks;
          const given = Object.values(first?.arguments ?? {});
          const isOne =
            first?.tool_id === list.resource.id && second?.tool_id === act.resource.id && third === undefined;
          counts.add(form, goal, isOne && second.for_each !== undefined && String(given) === String(value ?? ""));
        };
        add("V all Ns", `${verb} all ${many}`);
        add("V every N", `${verb} every ${noun}`);
        add("V each N", `${verb} each ${noun}`);
        add("list all Ns and V each of them", `list all ${many} and ${verb} each of them`);
        add("list the Ns, then V them", `list the ${many}, then ${verb} them`);
        add("list the Ns, then V each one", `list the ${many}, then ${verb} each one`);
        add("for each N V it", `for each ${noun} ${verb} it`);
        if (state === undefined) continue;
        add("V all S Ns", `${verb} all ${state.value} ${many}`, state.value);
        add("V every S N", `${verb} every ${state.value} ${noun}`, state.value);
        add("V the Ns that are S", `${verb} the ${many} that are ${state.value}`, state.value);
        add("list the S Ns and V them", `list the ${state.value} ${many} and ${verb} them`, state.value);
        add("for each S N V it", `for each ${state.value} ${noun} ${verb} it`, state.value);
      }
  }
  return counts.all();
}

/** What belongs to a thing: a tool that lists rows by the id of something else. All forms come to one call. */
export function ownerForms(catalogues: readonly OwnCatalogue[]): FormCount[] {
  const counts = new Counts();
  for (const { tools } of catalogues) {
    for (const list of readCatalogue(tools).profiles.filter(isList))
      for (const id of list.parameters) {
        const [owner = "", noun = ""] = [id.entity.at(-1), list.entity.at(-1)];
        const isOnly = list.parameters.every(({ required, name }) => !required || name === id.name);
        if (!id.isIdentifier || owner === "" || noun === "" || noun === owner || !isOnly) continue;
        const many = pluralOf(noun);
        const code = `${owner[0]!.toUpperCase()}-71`;
        const add = (form: string, goal: string) => {
          const [only, more] = planOf(goal, tools).planned_tasks;
          const isOne = only?.tool_id === list.resource.id && more === undefined;
          counts.add(form, goal, isOne && JSON.stringify(only.arguments) === JSON.stringify({ [id.name]: code }));
        };
        add("Ns of E X", `${many} of ${owner} ${code}`);
        add("list the Ns of E X", `list the ${many} of ${owner} ${code}`);
        add("which Ns does E X have?", `which ${many} does ${owner} ${code} have?`);
        add("does E X have any Ns?", `does ${owner} ${code} have any ${many}?`);
        add("are there any Ns of E X?", `are there any ${many} of ${owner} ${code}?`);
        add("how many Ns does E X have?", `how many ${many} does ${owner} ${code} have?`);
        add("show E X's Ns", `show ${owner} ${code}'s ${many}`);
        add("get Ns for E X", `get ${many} for ${owner} ${code}`);
        add("E X: list its Ns", `${owner} ${code}: list its ${many}`);
      }
  }
  return counts.all();
}

const manners: readonly (readonly [form: string, said: (goal: string) => string])[] = [
  ["please G", (goal) => `please ${goal}`],
  ["can you G?", (goal) => `can you ${goal}?`],
  ["I want to G", (goal) => `I want to ${goal}`],
  ["G asap", (goal) => `${goal} asap`],
  ["every Monday at 9, G", (goal) => `every Monday at 9, ${goal}`],
  ["G every Monday at 9", (goal) => `${goal} every Monday at 9`],
  ["in an hour, G", (goal) => `in an hour, ${goal}`],
  ["G in two hours", (goal) => `${goal} in two hours`],
];
/** A goal that says a time, or asks. */
const isTimed =
  /\?$|^(?:what|which|who|how|is|where|show me|find|look)|tomorrow|today|tonight|yesterday|\d{4}-|day\b|week|january|october|november|december| at \d|minutes|hours/i;

/** When and how something is asked for: goals that change something, say no time and are read right, with the same calls in other manners. */
export function mannerForms(
  catalogues: readonly OwnCatalogue[],
  isRight: (plan: OwnPlan, expected: string) => boolean,
) {
  const counts = new Counts();
  for (const { tools, goals } of catalogues)
    for (const [goal, expected] of goals) {
      const plan = planOf(goal, tools);
      const changes = new Set(tools.flatMap(({ id, read_only }) => (read_only === false ? [id] : [])));
      if (isTimed.test(goal) || !isRight(plan, expected)) continue;
      if (!plan.planned_tasks.some(({ tool_id }) => changes.has(tool_id ?? ""))) continue;
      for (const [form, said] of manners) {
        const other = planOf(said(goal), tools);
        const isPlanned = !form.includes("every") || other.metadata?.schedule !== undefined;
        counts.add(form, said(goal), isPlanned && callsOf(other) === callsOf(plan));
      }
    }
  return counts.all();
}

const both: readonly (readonly [form: string, said: (first: string, second: string) => string])[] = [
  ["A, then B", (first, second) => `${first}, then ${second}`],
  ["A and B", (first, second) => `${first} and ${second}`],
  ["A. B.", (first, second) => `${first}. ${second[0]!.toUpperCase()}${second.slice(1)}.`],
  ["A, B on lines", (first, second) => `${first}\n${second}`],
  ["First A; B", (first, second) => `First ${first}; ${second}`],
];
/** Two requests in one goal: goals that are read right alone, with calls that refer to nothing, come to the calls of both. @param partners so many of the goals after it each is joined with */
export function pairForms(
  catalogues: readonly OwnCatalogue[],
  isRight: (plan: OwnPlan, expected: string) => boolean,
  partners: number,
) {
  const counts = new Counts();
  const partsOf = (plan: OwnPlan) =>
    plan.planned_tasks.map(({ tool_id, arguments: given = {} }) => JSON.stringify([tool_id, given]));
  for (const { tools, goals } of catalogues) {
    const alone = goals.flatMap(([goal, expected]) => {
      const plan = planOf(goal, tools);
      const calls = partsOf(plan);
      const isPlain = !isTimed.test(goal) && calls.length > 0 && !calls.join().includes("${");
      return isPlain && isRight(plan, expected) ? [{ goal, calls }] : [];
    });
    for (const [at, first] of alone.entries())
      for (const second of alone.slice(at + 1, at + 1 + partners))
        for (const [form, said] of both) {
          const goal = said(first.goal, second.goal);
          const wanted = [...first.calls, ...second.calls].toSorted().join();
          counts.add(form, goal, partsOf(planOf(goal, tools)).toSorted().join() === wanted);
        }
  }
  return counts.all();
}
