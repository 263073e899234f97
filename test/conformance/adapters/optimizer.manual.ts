import { isDeepStrictEqual } from "node:util";
import { ManualOptimizer } from "@planloom/optimizer";
import { PlannerTask } from "@planloom/plan";

/** A grouping is answered with the laws that it keeps, each looked up in the result. */
const adapter: ConformanceAdapter<{ tasks: object[] }> = ({ tasks: input }) => {
  const tasks = input.map((task) => PlannerTask.parse(task));
  const groups = new ManualOptimizer().generateSubgraphs(tasks);
  const members = groups.flatMap((group) => group.tasks);
  const home = (id: string) => groups.findIndex((group) => group.tasks.some((task) => task.task_id === id));
  const waitsFor = groups.map((group) => group.dependencies.map((id) => groups.findIndex((o) => o.subgraph_id === id)));
  const needs = groups.map((group) => group.tasks.flatMap((task) => task.dependencies.map(home)));
  const laws = {
    "every task in exactly one subgraph": members.length === tasks.length && new Set(members).size === tasks.length,
    "a task's dependencies lie in its own subgraph or in one its subgraph depends on": needs.every((own, at) =>
      own.every((other) => other === at || waitsFor[at]!.includes(other)),
    ),
    "subgraph graph has no cycle": waitsFor.every((own, at) => own.every((other) => other < at)),
    "same input gives same output (ids aside)": isDeepStrictEqual(
      new ManualOptimizer().generateSubgraphs(tasks),
      groups,
    ),
    "independent islands are not chained": waitsFor.every((own, at) =>
      own.every((other) => needs[at]!.includes(other)),
    ),
  };
  return { properties: Object.entries(laws).flatMap(([law, holds]) => (holds ? [law] : [])) };
};
export default adapter;
