import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const tool = (
  name: string,
  description: string,
  properties: Record<string, object>,
  required: readonly string[],
  output: Record<string, object> = {},
): Resource => ({
  kind: "tool",
  id: name,
  name,
  description,
  input_schema: { type: "object", properties, required: [...required] },
  output_schema: { type: "object", properties: output },
});
const text = (description: string) => ({ type: "string", description });
const number = (description: string) => ({ type: "number", description });

const resources: readonly Resource[] = [
  tool(
    "measure_timber",
    "Measure a stack of timber",
    { stack: text("Which stack"), grade: text("The grade of the wood") },
    ["stack"],
    { moisture_level: number("How wet it is"), cutting_advice: text("What to cut") },
  ),
  tool("weigh_anvil", "Weigh an anvil", { smithy: text("Name of the smithy, e.g. Hammerfell") }, ["smithy"], {
    net_weight: number("In kilograms"),
  }),
  tool(
    "compute_varnish",
    "Compute how much varnish a job takes",
    { value: number("The value to start from"), coats: { type: "integer", description: "Number of coats" } },
    ["value"],
    { litres: number("Varnish") },
  ),
  tool("post_notice", "Post a notice on the board", { content: text("The text of the notice") }, ["content"]),
  tool(
    "invite_crew",
    "Invite people to a crew",
    { crew: { type: "array", items: { type: "string" }, description: "Names of the people" }, hall: text("The hall") },
    ["crew"],
    { evening: text("The best evening") },
  ),
  tool("book_apprentice", "Book an apprentice at a school", { school: text("The school"), apprentice: text("Who") }, [
    "school",
  ]),
];

const callsOf = (goal: string) =>
  planGoal(goal, resources).plan.planned_tasks.map(({ tool_id, arguments: own }) => [tool_id, own]);

describe("a phrase that names what an earlier call yields", () => {
  test.for([
    [
      "Measure the timber of stack 'B7', then weigh the anvil of smithy 'Hammerfell' and post the cutting advice on the board",
      "post_notice",
      { content: "${measure_timber.cutting_advice}" },
    ],
    [
      "Measure the timber of stack 'B7', weigh the anvil of smithy 'Hammerfell' and compute the varnish for the moisture level",
      "compute_varnish",
      { value: "${measure_timber.moisture_level}" },
    ],
  ] as const)("%s", ([goal, name, own]) => {
    expect(callsOf(goal).find(([tool]) => tool === name)).toEqual([name, own]);
  });

  test("a phrase that announces a value names no output", () => {
    const goal = "Measure the timber of stack 'B7' and compute the varnish for the moisture level of 12 with 3 coats";
    expect(callsOf(goal).at(-1)).toEqual(["compute_varnish", { value: 12, coats: 3 }]);
  });
});

describe("values that belong together", () => {
  test("quotations in a row are one list, whatever follows the last", () => {
    const goal =
      "Weigh the anvil of smithy 'X', then invite the crew 'Ada', 'Bo', and 'Cy' with a stack of grade timber";
    expect(callsOf(goal).slice(1)).toEqual([["invite_crew", { crew: ["Ada", "Bo", "Cy"] }]]);
  });

  test.for([
    ["Book an apprentice at Elm Tree School", "book_apprentice", { school: "Elm Tree School" }],
    ["Weigh the anvil of Example Smithy", "weigh_anvil", { smithy: "Example Smithy" }],
  ] as const)("a name in capitals is not cut where its last word is that of a parameter: %s", ([goal, name, own]) => {
    expect(callsOf(goal)).toEqual([[name, own]]);
  });
});
