import {
  definitionHash,
  hashValue,
  type PlannerTask,
  planHashes,
  renameReferences,
  type TaskData,
} from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../packages/plan/src/hashes/canonical-json.ts";
import { cases } from "../support/cases.ts";
import { plan as anyPlan, planOf, task } from "../support/plans.ts";

describe("hashValue", () => {
  test.for<[string, unknown, unknown]>([
    ["the order of keys", { a: 1, b: { c: 2, d: [3] } }, { b: { d: [3], c: 2 }, a: 1 }],
    ["what JSON leaves out", { a: 1 }, { a: 1, b: undefined, c: () => 1 }],
    ["what JSON writes as null", [null, null], [undefined, Number.NaN]],
    ["minus zero", 0, -0],
  ])("%s does not matter", ([, left, right]) => {
    expect(hashValue(left)).toBe(hashValue(right));
  });

  test("is SHA-256 of the text with sorted keys", () => {
    // printf '{"a":[1,"x"],"b":null}' | sha256sum
    expect(hashValue({ b: null, a: [1, "x"] })).toBe(
      "854ef06dc57f5dfed10206344ab2d02e0b6c84b0e19436703a5afd0f1f9f2687",
    );
  });

  test("texts that JSON writes alike hash alike, and no others", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        expect(hashValue(left)).toBe(hashValue(JSON.parse(JSON.stringify(left))));
        if (sorted(left) !== sorted(right)) expect(hashValue(left)).not.toBe(hashValue(right));
      }),
    );
  });

  test("deep values hash without recursion; cycles and bigints are refused with a code", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 9_000; i++) deep = [deep];
    expect(hashValue(deep)).toHaveLength(64);
    const cyclic: unknown[] = [];
    cyclic.push(cyclic, cyclic);
    for (const value of [cyclic, { x: 10n }]) {
      expect(() => hashValue(value)).toThrow(expect.objectContaining({ code: "PLAN_INVALID" }));
    }
  });
});

describe("planHashes", () => {
  const base = () =>
    planOf(
      [
        task({ task_id: "a", execution_type: "tool", tool_id: "s/t", arguments: { city: "${where}" } }),
        task({ task_id: "b", arguments: { ids: "${a.*.id}" } }),
        task({ task_id: "c", dependencies: ["a"] }),
        task({ task_id: "d", arguments: { x: "${b.y} and ${c}" } }),
        task({ task_id: "e" }),
      ],
      { variables: { where: "Berlin", other: 1 } },
    );
  const changed = (change: (plan: TaskData) => void) => {
    const [before, plan] = [planHashes(base()), base()];
    change(plan);
    const after = planHashes(plan);
    const differing = (key: "definition_hash" | "content_hash") =>
      [...before.keys()].filter((id) => before.get(id)![key] !== after.get(id)![key]).join("");
    return [differing("definition_hash"), differing("content_hash")];
  };
  const at = (plan: TaskData, index: number): PlannerTask => plan.planned_tasks[index]!;

  test.for<{ name: string; change: (plan: TaskData) => void; definitions: string; contents: string }>([
    {
      name: "status, output and times",
      change: (p) => Object.assign(at(p, 0), { status: "completed", output: 5, last_update_time: "x", title: "t" }),
      definitions: "",
      contents: "",
    },
    {
      name: "an estimate or a policy",
      change: (p) => Object.assign(at(p, 0), { estimate_data: { tokens: 1 }, timeout_ms: 5, approval: "required" }),
      definitions: "",
      contents: "",
    },
    {
      name: "the tool of a source",
      change: (p) => Object.assign(at(p, 0), { tool_id: "s/u" }),
      definitions: "a",
      contents: "abcd",
    },
    {
      name: "an argument in the middle",
      change: (p) => Object.assign(at(p, 1), { arguments: { ids: "${a.*.key}" } }),
      definitions: "b",
      contents: "bd",
    },
    {
      name: "the target of a reference",
      change: (p) => Object.assign(at(p, 1), { arguments: { ids: "${e.*.id}" } }),
      definitions: "",
      contents: "bd",
    },
    {
      name: "a declared dependency",
      change: (p) => Object.assign(at(p, 2), { dependencies: ["e"] }),
      definitions: "",
      contents: "cd",
    },
    {
      name: "the order of two references",
      change: (p) => Object.assign(at(p, 3), { arguments: { x: "${c} and ${b.y}" } }),
      definitions: "d",
      contents: "d",
    },
    {
      name: "which of two is referred to where",
      change: (p) => Object.assign(at(p, 3), { arguments: { x: "${c.y} and ${b}" } }),
      definitions: "",
      contents: "d",
    },
    {
      name: "a variable that is used",
      change: (p) => Object.assign(p.variables!, { where: "Munich" }),
      definitions: "",
      contents: "abcd",
    },
    {
      name: "a variable that is not",
      change: (p) => Object.assign(p.variables!, { other: 2 }),
      definitions: "",
      contents: "",
    },
    {
      name: "instructions",
      change: (p) => Object.assign(at(p, 4), { instructions: "now" }),
      definitions: "e",
      contents: "e",
    },
    {
      name: "a description that looks like a reference",
      change: (p) => Object.assign(at(p, 4), { description: "${a}" }),
      definitions: "e",
      contents: "e",
    },
  ])("$name", ({ change, definitions, contents }) => {
    expect(changed(change)).toEqual([definitions, contents]);
  });

  test("a dependency that a reference implies anyway may be declared or not", () => {
    const plan = base();
    plan.planned_tasks[1]!.dependencies = ["a"];
    expect(planHashes(plan)).toEqual(planHashes(base()));
  });

  test("both forms of a name, task id and result variable, are one", () => {
    const plan = base();
    plan.planned_tasks[0]!.result_variable = "rows";
    plan.planned_tasks[1]!.arguments = { ids: "${rows.*.id}" };
    expect(planHashes(plan)).toEqual(planHashes(base()));
  });

  test("a cycle is refused", () => {
    expect(() => planHashes(planOf([task({ task_id: "a", arguments: { x: "${a}" } })]))).toThrow(
      expect.objectContaining({ code: "PLAN_CYCLE" }),
    );
  });

  test("renaming every task, and the order of keys, leave all hashes equal", () => {
    fc.assert(
      fc.property(anyPlan(), fc.string({ minLength: 1, maxLength: 20 }), (plan, salt) => {
        const rename = (name: string) => (/^t\d+$/.test(name) ? `${salt} ${name}` : name);
        const renamed = {
          ...plan,
          planned_tasks: plan.planned_tasks.map((each) => ({
            ...each,
            task_id: rename(each.task_id),
            dependencies: each.dependencies.map(rename).reverse(),
            arguments: backwards(renameReferences(each.arguments, rename)) as Record<string, unknown>,
          })),
        };
        const before = planHashes(plan);
        const after = planHashes(renamed);
        expect([...after.values()]).toEqual([...before.values()]);
        expect([...after.keys()]).toEqual([...before.keys()].map(rename));
        for (const each of plan.planned_tasks) {
          expect(definitionHash(each, plan)).toBe(before.get(each.task_id)!.definition_hash);
        }
      }),
    );
  });

  test("a change of one task reaches exactly the contents of its descendants", () => {
    fc.assert(
      fc.property(anyPlan(), fc.nat(), (plan, pick) => {
        const target = plan.planned_tasks[pick % plan.planned_tasks.length]!;
        const before = planHashes(plan);
        const after = planHashes({
          ...plan,
          planned_tasks: plan.planned_tasks.map((each) =>
            each === target ? { ...each, instructions: `${each.instructions} changed` } : each,
          ),
        });
        const reached = new Set([target.task_id]);
        for (let i = 0; i < plan.planned_tasks.length; i++) {
          for (const { task_id, dependencies, arguments: values } of plan.planned_tasks) {
            const text = JSON.stringify(values);
            const needs = [...reached].some(
              (id) => dependencies.includes(id) || text.includes(`\${${id}.`) || text.includes(`"${id}.`),
            );
            if (needs) reached.add(task_id);
          }
        }
        for (const id of before.keys()) {
          expect(before.get(id)!.content_hash !== after.get(id)!.content_hash).toBe(reached.has(id));
          expect(before.get(id)!.definition_hash !== after.get(id)!.definition_hash).toBe(id === target.task_id);
        }
      }),
      { numRuns: cases(60) },
    );
  });
});

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, backwards(inner)]),
  );
}

test("a text is the same whichever way it is written: at once, by recursion or without", () => {
  const values = fc.anything({
    withBigInt: false,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    withUnicodeString: true,
    maxDepth: 5,
  });
  fc.assert(
    fc.property(values, (value) => {
      expect(canonicalJson(value)).toBe(canonicalJson(value, (same) => same));
    }),
    { numRuns: cases(2_000) },
  );
});

test.for([
  ["keys in order", { a: 1, b: [{ c: null, d: "x" }] }],
  ["keys out of order", { b: [{ d: "x", c: null }], a: 1 }],
  ["keys that are numbers", { 2: "two", 10: "ten" }],
  ["an object with toJSON", { a: { toJSON: () => 7, b: 1 } }],
])("%s, nested deeper than recursion goes", ([, inner]) => {
  let value: unknown = inner;
  for (let depth = 0; depth < 1_000; depth++) value = [value];
  for (const one of [inner, value]) expect(canonicalJson(one)).toBe(canonicalJson(one, (same) => same));
});
