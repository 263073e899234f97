import type { OwnCatalogue } from "./catalogue.ts";
import { Counts, callsOf, type FormCount, type OwnPlan, planOf } from "./forms.ts";

/** Verbs whose participle is not made with "ed". */
const irregular: Readonly<Record<string, string>> = {
  freeze: "frozen",
  unfreeze: "unfrozen",
  put: "put",
  take: "taken",
};
const participleOf = (verb: string): string =>
  irregular[verb] ??
  (verb.endsWith("e") ? `${verb}d` : /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`);

/** "close ticket 12 as a duplicate": a verb that makes a regular participle, a thing with its code or its name, and the rest. */
const request =
  /^(?<verb>(?!(?:open|read|set|send|give|get|show|list|find|log|let|print|write|tell|cut|sell|plan|text|add|upload)\b)\p{Ll}+) (?<thing>(?:the )?(?:\p{Ll}+ )?[\p{L}_.-]*\d[\p{L}\d_.-]*)(?<rest>(?: (?:to|for|in|on|from|with|by|at|as|because) .*)?)$/u;

const voices: readonly (readonly [form: string, said: (thing: string, done: string, rest: string) => string])[] = [
  ["X should be Ved", (thing, done, rest) => `${thing} should be ${done}${rest}`],
  ["X needs to be Ved", (thing, done, rest) => `${thing} needs to be ${done}${rest}`],
  ["I need X Ved", (thing, done, rest) => `I need ${thing} ${done}${rest}`],
  ["please have X Ved", (thing, done, rest) => `please have ${thing} ${done}${rest}`],
];

const writings: readonly (readonly [form: string, said: (goal: string) => string])[] = [
  ["1. G", (goal) => `1. ${goal}`],
  ["Step 1: G", (goal) => `Step 1: ${goal}`],
  ["G between blanks", (goal) => `  ${goal.replaceAll(" ", "  ")} `],
  ["make sure to G", (goal) => `make sure to ${goal}`],
  ["would it be possible to G?", (goal) => `would it be possible to ${goal}?`],
];

/** Goals that are read right, say a change and hold no quotation, in other writing: the same calls must come. */
export function writingForms(
  catalogues: readonly OwnCatalogue[],
  isRight: (plan: OwnPlan, expected: string) => boolean,
): FormCount[] {
  const counts = new Counts();
  for (const { tools, goals } of catalogues) {
    const changes = new Set(tools.flatMap(({ id, read_only }) => (read_only === false ? [id] : [])));
    for (const [goal, expected] of goals) {
      const plan = planOf(goal, tools);
      if (/["?]/.test(goal) || !isRight(plan, expected)) continue;
      if (!plan.planned_tasks.some(({ tool_id }) => changes.has(tool_id ?? ""))) continue;
      const add = (form: string, said: string) =>
        counts.add(form, said, callsOf(planOf(said, tools)) === callsOf(plan));
      for (const [form, said] of writings) if (said(goal) !== goal) add(form, said(goal));
      const { verb, thing, rest = "" } = request.exec(goal)?.groups ?? {};
      if (verb === undefined || thing === undefined || /\band\b|,/.test(rest)) continue;
      for (const [form, said] of voices) add(form, said(thing, participleOf(verb), rest));
      if (/^(?:the )?\p{Ll}+ \S+$/u.test(thing)) add("X: V it", `${thing.replace(/^the /, "")}: ${verb} it${rest}`);
      if (rest === "") further(counts, { goal, verb, thing }, (said) => planOf(said, tools));
    }
  }
  return counts.all();
}

/** Several things with one verb, and a request that is refused beside it. */
function further(
  counts: Counts,
  { goal, verb, thing }: { readonly goal: string; readonly verb: string; readonly thing: string },
  plan: (goal: string) => OwnPlan,
): void {
  const before = plan(goal).planned_tasks;
  const code = /\S+$/.exec(thing)?.[0] ?? "";
  if (before.length !== 1 || !/\d$/.test(code)) return;
  const next = (by: number) => code.replace(/\d+$/, (digits) => String(Number(digits) + by));
  const many = (codes: string) => goal.replace(code, codes);
  const add = (form: string, said: string) => {
    const tasks = plan(said).planned_tasks;
    const given = JSON.stringify(tasks.map((task) => task.arguments));
    const isEach = tasks.every(({ tool_id }) => tool_id === before[0]?.tool_id) && tasks.length === 3;
    counts.add(form, said, isEach && [code, next(3), next(4)].every((each) => given.includes(`"${each}"`)));
  };
  add("V X, Y and Z", many(`${code}, ${next(3)} and ${next(4)}`));
  add("V X, Y & Z", many(`${code}, ${next(3)} & ${next(4)}`));
  add("V: X, Y, Z in lines", many(`:\n- ${code}\n- ${next(3)}\n- ${next(4)}`).replace(" :", ":"));
  const refused = plan(`${goal}, don't ${verb} ${thing.replace(code, next(3))}`);
  counts.add("V X, don't V Y", goal, callsOf(refused) === callsOf(plan(goal)));
  const rather = plan(`don't ${verb} ${thing}`).planned_tasks;
  counts.add("don't V X", goal, !rather.some(({ tool_id }) => tool_id === before[0]?.tool_id));
}
