import { expect, test } from "vitest";
import type { Item, Step } from "./plans-data.ts";
import { reportLosses } from "./plans-errors.ts";
import { toSteps } from "./plans-predict.ts";
import { scorePlans } from "./plans-score.ts";

const gold: Step[] = [
  { tool: "find_lake", args: { name: "Como", depth: 40 }, dependsOn: [] },
  { tool: "rent_boat", args: { lake: { $ref: { step: 0, path: "id" } }, seats: 2 }, dependsOn: [0] },
];
const item: Item = {
  id: "a",
  query: "",
  tools: ["find_lake", "rent_boat", "buy_bait"].map((name) => ({ name })),
  gold: { steps: gold },
};
const scored = (steps: readonly Step[], of: Item = item) => scorePlans([of], new Map([["a", steps]]));

test("the gold plan in another order of its steps scores 1", () => {
  const [lake, boat] = gold as [Step, Step];
  const moved = { ...boat, args: { lake: { $ref: { step: 1, path: "id" } }, seats: 2 }, dependsOn: [1] };
  const scores = scored([moved, lake]);
  expect(Object.values(scores)).toEqual(Object.values(scores).map(() => 1));
});

test("F1 is twice the hits over all that is gold and all that is predicted", () => {
  const scores = scored([{ tool: "find_lake", args: { name: "como!", depth: "40", extra: 1 }, dependsOn: [] }]);
  expect(scores.nodeF1).toBeCloseTo(2 / 3);
  expect(scores.argNameF1).toBeCloseTo(4 / 7);
  expect(scores.argValueF1).toBeCloseTo(2 / 7);
  expect(scores.argValueF1L).toBeCloseTo(4 / 7);
  expect([scores.edgeF1, scores.refF1, scores.exactTools, scores.exactPlan]).toEqual([0, 0, 0, 0]);
});

test("a wrong path counts for the reference but not for its path", () => {
  const [lake, boat] = gold as [Step, Step];
  const scores = scored([lake, { ...boat, args: { lake: { $ref: { step: 0, path: "name" } }, seats: 2 } }]);
  expect([scores.refF1, scores.refPathF1, scores.exactGraph, scores.exactPlan]).toEqual([1, 0, 1, 0]);
});

test("accepted values count as gold, and an argument that may be left out as no argument", () => {
  const [step] = gold as [Step];
  const accept = { name: ["Como", "Lake Como"], depth: [40], unit: ["m", ""] };
  const of: Item = { ...item, gold: { steps: [{ ...step, accept }] } };
  expect(scored([{ ...step, args: { name: "Lake Como", depth: 40, unit: "m" } }], of)).toMatchObject({
    argNameF1: 1,
    argValueF1: 1,
    exactPlan: 1,
  });
  expect(scored([{ ...step, args: { name: "Lake Como", depth: 40, unit: "ft" } }], of).exactPlan).toBe(0);
});

test("what a set does not ask for is not scored", () => {
  const scores = scored([], { ...item, scope: ["tools"] });
  expect([scores.edgeF1, scores.argNameF1, scores.exactPlan]).toEqual([null, null, null]);
  expect(scores.nodeF1).toBe(0);
});

test.for<[name: string, steps: Step[], loss: string]>([
  ["another tool", [gold[0]!, { tool: "buy_bait", args: {}, dependsOn: [] }], "retrieval"],
  ["a call too few", [gold[0]!], "segmentation"],
  ["another value", [{ ...gold[0]!, args: { name: "Garda", depth: 40 } }, gold[1]!], "value"],
  ["a value for a reference", [gold[0]!, { ...gold[1]!, args: { lake: "Como", seats: 2 } }], "reference"],
])("%s is a loss of its kind", ([, steps, loss]) => {
  const { plans } = reportLosses([item], new Map([["a", steps]]));
  expect(Object.entries(plans).filter(([, count]) => count > 0)).toEqual([[loss, 1]]);
});

test("references in tasks become references and templates of steps", () => {
  const steps = toSteps([
    { task_id: "lake", tool_id: "find_lake", arguments: { name: "costs $${5}" } },
    {
      task_id: "boat",
      tool_id: "rent_boat",
      arguments: { lake: "${lake.rows[0].id}", note: "on ${lake.name}, ${lake}" },
      dependencies: ["lake"],
    },
  ]);
  expect(steps).toEqual([
    { tool: "find_lake", args: { name: "costs ${5}" }, dependsOn: [] },
    {
      tool: "rent_boat",
      args: {
        lake: { $ref: { step: 0, path: "rows[0].id" } },
        note: {
          $template: "on {0}, {1}",
          $refs: [{ $ref: { step: 0, path: "name" } }, { $ref: { step: 0, path: "" } }],
        },
      },
      dependsOn: [0],
    },
  ]);
});
