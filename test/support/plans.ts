import { PlannerTask, TaskData } from "@planloom/plan";
import fc from "fast-check";

/** A graph as integers: edge [u, v] means that v depends on u. */
export interface IntegerGraph {
  readonly n: number;
  readonly edges: readonly (readonly [number, number])[];
}

export interface DagOptions {
  /** @default 0 */
  readonly minTasks?: number;
  /** @default 12 */
  readonly maxTasks?: number;
}

/** A random acyclic graph whose numbering is no topological order; edges may repeat. */
export function dag({ minTasks = 0, maxTasks = 12 }: DagOptions = {}): fc.Arbitrary<IntegerGraph> {
  return fc.integer({ min: minTasks, max: maxTasks }).chain((n) =>
    fc
      .tuple(
        fc.shuffledSubarray(range(n), { minLength: n, maxLength: n }),
        n < 2 ? fc.constant([]) : fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: n * 3 }),
      )
      .map(([order, pairs]) => ({
        n,
        edges: pairs
          .filter(([a, b]) => a !== b)
          .map(([a, b]): [number, number] => [order[Math.min(a, b)]!, order[Math.max(a, b)]!]),
      })),
  );
}

/** Any graph, cycles and self-loops included. */
export function digraph({ minTasks = 0, maxTasks = 8 }: DagOptions = {}): fc.Arbitrary<IntegerGraph> {
  return fc
    .integer({ min: minTasks, max: maxTasks })
    .chain((n) =>
      (n === 0 ? fc.constant([]) : fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: n * 2 })).map(
        (edges) => ({ n, edges }),
      ),
    );
}

const epoch = "2025-10-12T00:00:00.000Z";

/** A task with fixed times, so that two runs give the same text. */
export function task(fields: Parameters<typeof PlannerTask.parse>[0] & object): PlannerTask {
  return PlannerTask.parse({ creation_time: epoch, last_update_time: epoch, ...fields });
}

/** A plan of such tasks. */
export function planOf(tasks: readonly PlannerTask[], fields: object = {}): TaskData {
  return TaskData.parse({
    task_id: "plan",
    creation_time: epoch,
    update_time: epoch,
    planned_tasks: tasks,
    ...fields,
  });
}

export interface PlanOptions extends DagOptions {
  /** Ids of the tasks, by number. @default t0, t1, … */
  readonly name?: (task: number) => string;
}

/**
 * A random plan that validates without resources: some edges declared, the rest implied by references, with literal
 * arguments of any JSON, descriptions of any text, estimates, and every execution type.
 */
export function plan({ name = (number) => `t${number}`, ...options }: PlanOptions = {}): fc.Arbitrary<TaskData> {
  return dag({ minTasks: 1, ...options }).chain((graph) => {
    const dependencies = range(graph.n).map((task) => [
      ...new Set(graph.edges.filter(([, to]) => to === task).map(([from]) => from)),
    ]);
    return fc
      .tuple(...dependencies.map((list, number) => plannerTask(number, list, name)))
      .map((tasks) => planOf(tasks));
  });
}

const literal = fc.jsonValue({ maxDepth: 2 }).filter((value) => !/\$\{|\$ref/.test(JSON.stringify(value)));
const use = fc.constantFrom("declared", "whole", "inside", "object");
// Built once: making these arbitraries anew for every task took longer than the tests.
const fields = fc.record({
  description: fc.string({ unit: "grapheme" }),
  execution_type: fc.constantFrom<PlannerTask["execution_type"]>("agent", "tool", "llm", "dsl", ""),
  tool_id: fc.constantFrom(null, "server/lookup", "server/store"),
  literals: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), literal, { maxKeys: 3 }),
  estimate_data: fc.option(fc.record({ duration_ms: fc.nat(5000) })),
});

function plannerTask(number: number, dependencies: readonly number[], name: (task: number) => string) {
  const { length } = dependencies;
  return fc
    .tuple(fields, fc.array(use, { minLength: length, maxLength: length }))
    .map(([{ literals, ...rest }, uses]) => {
      const values: Record<string, unknown> = { ...literals };
      dependencies.forEach((dependency, i) => {
        const id = name(dependency);
        if (uses[i] === "whole") values[`from_${i}`] = `\${${id}.rows[0].id}`;
        if (uses[i] === "inside") values[`from_${i}`] = { nested: [`about \${${id}.title?} and more`] };
        if (uses[i] === "object") values[`from_${i}`] = { $ref: `${id}.*.id` };
      });
      return task({
        ...rest,
        task_id: name(number),
        dependencies: dependencies.filter((_, i) => uses[i] === "declared").map(name),
        arguments: values,
      });
    });
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}
