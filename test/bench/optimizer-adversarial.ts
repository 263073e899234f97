import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { posed } from "../../packages/bench/src/adversarial/instance.ts";
import { type PairResult, searchPair } from "../../packages/bench/src/adversarial/search-pair.ts";
import { makespan, strategies } from "../../packages/optimizer/src/index.ts";

/**
 * Searches for plans on which one strategy is much worse than another: hill climbing from random plans until the time is up. What is found is measured again with
 * twenty times as many evaluations for the search that it is held against, which is what counts.
 * pnpm bench:adversarial [--seconds 300] [--judged portfolio] [--against anytime] [--tasks 8-60] [--evaluations 2000000] [--seed 1] [--asked 1.1] [--out FILE]
 * Ends with exit code 1 where more than `--asked` is found.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "300" },
    judged: { type: "string", default: "portfolio" },
    against: { type: "string", default: "anytime" },
    tasks: { type: "string", default: "8-60" },
    evaluations: { type: "string", default: "2000000" },
    seed: { type: "string", default: "1" },
    asked: { type: "string", default: "1.1" },
    out: { type: "string" },
  },
});
const [least = 8, most = 60] = values.tasks.split("-").map(Number);
const strategy = (name: string) => {
  const found = strategies.get(name);
  if (found === undefined) throw new Error(`Expected a built-in strategy, got ${name}.`);
  return found;
};
const [judged, against] = [strategy(values.judged), strategy(values.against)];
const evaluations = Number(values.evaluations);
const until = Date.now() + 1000 * Number(values.seconds);
const instances = { tasks: [least, most], executors: [2, 8] } as const;

const found: PairResult[] = [];
let looked = 0;
for (let seed = Number(values.seed); Date.now() < until; seed++) {
  const result = searchPair(judged, against, {
    restarts: 1,
    steps: 120,
    seed,
    instances,
    climb: true,
    evaluations,
    until,
  });
  looked += result.evaluations;
  found.push(result);
}
found.sort((left, right) => right.ratio - left.ratio);
const confirmed = found.slice(0, 10).map(({ instance, ratio }) => {
  const { view, environment } = posed(instance);
  const length = (budget: { evaluations?: number }, by: typeof judged) =>
    makespan(
      view,
      environment,
      by.propose(view, environment, { seed: 0, deadlineMs: Number.POSITIVE_INFINITY, ...budget }),
    );
  const confirmedRatio = length({}, judged) / length({ evaluations: 20 * evaluations }, against);
  return { ratio, confirmed: Math.max(ratio, confirmedRatio), tasks: view.n, instance };
});
const worst = Math.max(...confirmed.map((each) => each.confirmed));
const middle = found[Math.floor(found.length / 2)]!.ratio;
console.log(
  `${values.judged} against ${values.against}, ${values.tasks} tasks: ${looked} plans in ${found.length} climbs.`,
);
console.log(`Worst ${worst.toFixed(4)}, median climb ${middle.toFixed(4)}; asked at most ${values.asked}.`);
if (values.out !== undefined) await writeFile(values.out, JSON.stringify(confirmed, null, 2));
if (worst > Number(values.asked)) process.exitCode = 1;
