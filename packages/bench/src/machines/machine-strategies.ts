import type { RuleStrategy } from "@planloom/optimizer";
import { machinesOf } from "./environment-machines.ts";
import { machineProblem } from "./machine-problem.ts";
import { machineSchedulers } from "./machine-schedulers.ts";

const described: Readonly<Record<keyof typeof machineSchedulers, string>> = {
  heft: "one dispatch a task by upward rank, each where it ends first (Topcuoglu, Hariri and Wu 2002)",
  cpop: "one dispatch a task, those of the critical path on one executor (Topcuoglu, Hariri and Wu 2002)",
  peft: "one dispatch a task by an optimistic cost table (Arabnejad and Barbosa 2014)",
  "min-min": "one dispatch a task, of those ready the one that can end first (Ibarra and Kim 1977)",
  "max-min": "one dispatch a task, of those ready the one whose earliest end is latest (Ibarra and Kim 1977)",
  etf: "one dispatch a task, of those ready the one that can start first (Hwang, Chow, Anger and Lee 1989)",
};

/**
 * The list schedulers of single tasks as strategies, so that they have rows beside groupings: one dispatch a task, each placed and ordered as the scheduler says. An
 * environment that they do not know (`machinesOf`) costs them their row.
 */
export const machineStrategies: ReadonlyMap<string, RuleStrategy> = new Map(
  (Object.keys(machineSchedulers) as (keyof typeof machineSchedulers)[]).map((name) => [
    name,
    {
      name,
      version: "2",
      description: described[name],
      regards: ["executors", "overhead", "transfers", "classes"],
      deterministic: true,
      largest: 2_500,
      propose(view, environment) {
        const { machine, startMs, endMs } = machineSchedulers[name](
          machineProblem(view, machinesOf(view, environment)),
        );
        const position = new Int32Array(view.n);
        view.topo.forEach((v, at) => {
          position[v] = at;
        });
        const order = Int32Array.from(view.topo).sort(
          (a, b) => startMs[a]! - startMs[b]! || endMs[a]! - endMs[b]! || position[a]! - position[b]!,
        );
        return { part: Int32Array.from(position.keys()), count: view.n, order, placement: machine };
      },
    } satisfies RuleStrategy,
  ]),
);
