import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const text = (description: string) => ({ type: "string", description });
const tool = (
  name: string,
  description: string,
  properties: Record<string, object>,
  required: readonly string[],
): Resource => ({
  kind: "tool",
  id: name,
  name,
  description,
  input_schema: { type: "object", properties, required: [...required] },
});

const resources: readonly Resource[] = [
  tool(
    "check_letterbox",
    "Check whether a letterbox can be reached",
    {
      street: text("Street and number"),
      addressLine2: text("Flat or floor"),
      city: text("The city"),
      state: text("The state"),
      postalCode: text("The postal code"),
    },
    ["street", "city", "state", "postalCode"],
  ),
  tool(
    "tide_height",
    "The height of the tide",
    { harbour: text("Name of the harbour"), date: { type: "string", format: "date", description: "The day" } },
    ["harbour", "date"],
  ),
  tool("last_regatta", "The last regatta of a rowing club", { club: text("Name of the rowing club") }, ["club"]),
  tool(
    "sell_rope",
    "Sell rope",
    { length: { type: "number", description: "How much" }, measure: text("What the length is counted in") },
    ["length"],
  ),
];

const workshop: readonly Resource[] = [
  tool("note_fault", "Note the fault of a loom", { loom_id: text("Id of the loom"), fault: text("What is wrong") }, [
    "loom_id",
  ]),
  tool("plan_repair", "Plan the repair for a weaver", { weaver_id: text("Id of the weaver"), day: text("When") }, [
    "weaver_id",
  ]),
];

const callsOf = (goal: string) =>
  planGoal(goal, resources, { now: "2026-11-20T10:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map(
    ({ tool_id, arguments: own }) => [tool_id, own],
  );

test.for([
  [
    "Check the letterbox: 12 Elm St, Flr 3, Lowtown, KY, 40502",
    [
      "check_letterbox",
      { street: "12 Elm St", addressLine2: "Flr 3", city: "Lowtown", state: "KY", postalCode: "40502" },
    ],
  ],
  [
    "Check the letterbox 7 Mill Road, Upper Lowtown, KY 40502",
    ["check_letterbox", { street: "7 Mill Road", city: "Upper Lowtown", state: "KY", postalCode: "40502" }],
  ],
  [
    "Show the tide height for Kilrush on December 25, 2026 and for Dingle on January 1, 2027",
    ["tide_height", { harbour: "Kilrush", date: "2026-12-25" }],
    ["tide_height", { harbour: "Dingle", date: "2027-01-01" }],
  ],
  ["Show the last regatta of Neptune R.C. Include its results", ["last_regatta", { club: "Neptune R.C." }]],
  ["Show the last regatta of the Society of Oars", ["last_regatta", { club: "Society of Oars" }]],
  ["Sell rope of 12, using fathoms as the measure", ["sell_rope", { length: 12, measure: "fathoms" }]],
] as const)("%s", ([goal, ...calls]) => {
  expect(callsOf(goal)).toEqual(calls);
});

test("an id that a call lacks is the one that follows its noun elsewhere, never that of another thing", () => {
  const goal = "The weaver CST98 has a fault with the loom PRD12. Note the fault of the loom PRD12 and plan the repair";
  const { plan } = planGoal(goal, workshop, { now: "2026-11-20T10:00:00Z", timeZone: "UTC" });
  const repair = plan.planned_tasks.find(({ tool_id }) => tool_id === "plan_repair");
  expect(repair?.arguments).toEqual({ weaver_id: "CST98" });
});
