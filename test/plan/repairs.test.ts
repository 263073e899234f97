import { type PlannerTaskInput, type Resource, resourceCatalogue } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { gatherFacts } from "../../packages/plan/src/validation/plan-facts.ts";
import { readStructure } from "../../packages/plan/src/validation/read-structure.ts";
import { Repairs, type Wanted } from "../../packages/plan/src/validation/repairs.ts";
import type { SchemaNode } from "../../packages/plan/src/validation/schema-node.ts";
import { number, object, text } from "../support/checked-tools.ts";

const resource = (id: string, output?: object): Resource => ({
  kind: "tool",
  id,
  description: "",
  ...(output && { output_schema: output as Record<string, unknown> }),
});
const resources = [
  resource("mail", object({ address: text, size: number })),
  resource("count", object({ total: number })),
  resource("name", object({ name: text })),
  resource("any", {}),
  resource("silent"),
  resource("wide", object(Object.fromEntries(Array.from({ length: 12 }, (_, each) => [`f${each}`, text])))),
];
const task = (task_id: string, tool_id = "silent", dependencies: string[] = []): PlannerTaskInput => ({
  task_id,
  tool_id,
  dependencies,
});
const repairsOf = (tasks: PlannerTaskInput[]) =>
  new Repairs(gatherFacts(readStructure({ planned_tasks: tasks }), resourceCatalogue(resources)));
const node = (schema: Record<string, unknown>): SchemaNode => ({ schema, root: schema });
const many = (count: number, tool_id = "silent") =>
  Array.from({ length: count }, (_, each) => task(`t${each}`, tool_id));

describe("sources for an argument", () => {
  const tasks = [task("m", "mail"), task("c", "count"), task("n", "name"), task("t"), task("later", "mail", ["t"])];

  test.for<[string, Omit<Wanted, "task">, string[]]>([
    ["of its type, the nearest tasks first", { target: node(text) }, ["${n.name}", "${m.address}"]],
    ["of its name", { target: node(text), name: "address" }, ["${m.address}", "${n.name}"]],
    ["of a number", { target: node(number), name: "total" }, ["${c.total}", "${m.size}"]],
    ["of no type that is there", { target: node({ type: "boolean" }) }, []],
    ["of the task that it names now", { target: node(text), from: 0 }, ["${m.address}", "${n.name}"]],
    ["of the path that it names now", { target: node(text), path: [{ key: "addres" }] }, ["${m.address}", "${n.name}"]],
    ["of any type", { name: "name" }, ["${n.name}", "${n}", "${c}", "${m}", "${m.address}", "${m.size}", "${c.total}"]],
  ])("%s", ([, wanted, found]) => {
    const sources = repairsOf(tasks).sources({ task: 3, ...wanted });
    expect(wanted.target === undefined ? [sources[0], [...sources].sort()] : sources).toEqual(
      wanted.target === undefined ? [found[0], [...found].sort()] : found,
    );
  });

  test("are a repair of the wanted kind, where there are any", () => {
    const repairs = repairsOf(tasks);
    expect(repairs.sourceRepair("add", { task: 3, target: node(number) })).toEqual({
      operation: "add",
      candidates: ["${c.total}", "${m.size}"],
    });
    expect(repairs.sourceRepair("add", { task: 3, target: node({ type: "boolean" }) })).toBeUndefined();
  });

  test("of a type that is known come before those that may do; a whole output of which nothing is known does not do", () => {
    const repairs = repairsOf([task("o", "any"), task("n", "name"), task("t")]);
    expect(repairs.sources({ task: 2, target: node(text) })).toEqual(["${n.name}"]);
    const open = [task("u", "any"), task("t")];
    expect(repairsOf(open).sources({ task: 1, target: node(text) })).toEqual([]);
    expect(repairsOf(open).sources({ task: 1 })).toEqual(["${u}"]);
  });

  test("at most ten", () => {
    expect(repairsOf([task("w", "wide"), task("t")]).sources({ task: 1, target: node(text) })).toHaveLength(10);
  });

  test("none that waits for the task, and none for a task on a cycle but what it names now", () => {
    const waiting = [task("a", "name", ["t"]), task("t")];
    expect(repairsOf(waiting).sources({ task: 1, target: node(text) })).toEqual([]);
    const circle = [task("a", "name"), task("t", "silent", ["b"]), task("b", "name", ["t"])];
    expect(repairsOf(circle).sources({ task: 1, target: node(text) })).toEqual([]);
    expect(repairsOf(circle).sources({ task: 1, target: node(text), from: 0 })).toEqual(["${a.name}"]);
    expect(repairsOf([...circle, task("u")]).sources({ task: 3, target: node(text) })).toEqual(["${a.name}"]);
  });

  test("of thirty tasks nearby, and none two hundred tasks away", () => {
    const from = (distance: number) => {
      const all = [
        task("far", "name"),
        ...many(distance - 1).map((each) => ({ ...each, dependencies: ["last"] })),
        task("last"),
      ];
      return repairsOf(all).sources({ task: distance, target: node(text) });
    };
    expect([from(200), from(201)]).toEqual([["${far.name}"], []]);
    const behind = (count: number) =>
      repairsOf([task("far", "name"), ...many(count), task("t")]).sources({ task: count + 1, target: node(text) });
    expect([behind(29), behind(30)]).toEqual([["${far.name}"], []]);
  });
});

describe("tasks whose id is like a name", () => {
  test("neither the task itself nor what waits for it", () => {
    const repairs = repairsOf([
      task("fetch1"),
      task("fetch2", "silent", ["fetch1"]),
      task("fetch3", "silent", ["fetch2"]),
      task("fetch4"),
    ]);
    expect(repairs.nearestTask("fetch", 0).names).toEqual(["fetch4"]);
    expect(repairs.nearestTask("fetch", 2).names).toEqual(["fetch1", "fetch2", "fetch4"]);
  });

  test("among the first thousand", () => {
    const at = (place: number) =>
      repairsOf([
        ...many(place).map((each) => ({ ...each, task_id: `${each.task_id}-----------` })),
        task("fetch"),
      ]).nearestTask("fetsh", 0).likely;
    expect([at(999), at(1_000)]).toEqual(["fetch", undefined]);
  });
});

describe("the comparisons of one call", () => {
  test("are two hundred thousand, and then no repairs are looked for", () => {
    const repairs = repairsOf([task("name", "name"), task("t")]);
    expect(repairs.sources({ task: 1 })).not.toEqual([]);
    expect(repairs.nearestTask("nama", 1).likely).toBe("name");
    const used = repairsOf([task("name", "name"), task("t")]);
    expect([used.spend(199_999), used.spend(1), used.spend(1)]).toEqual([true, true, false]);
    expect(used.sources({ task: 1 })).toEqual([]);
    expect(used.nearestTask("nama", 1)).toEqual({ names: [], score: 0 });
  });

  test("end in the middle, too: with the tasks that were looked at", () => {
    const tasks = [task("n", "name"), task("m", "mail"), task("t")];
    // One for the question; three of the nearest task; two are not there for the other.
    const repairs = repairsOf(tasks);
    repairs.spend(200_000 - 5);
    expect(repairs.sources({ task: 2, target: node(text) })).toEqual(["${m.address}"]);
  });
});
