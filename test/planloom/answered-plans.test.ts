import { defineTool, type PlanIssue, Planloom, type PlanQuestion, type TaskData } from "planloom";
import { expect, test } from "vitest";

const text = (description = "") => ({ type: "string", description }) as const;
const berth = { type: "object", properties: { berth_id: text(), state: text() } } as const;
const tools = [
  defineTool({
    id: "list_berths",
    description: "List berths by state",
    readOnly: true,
    input: { type: "object", properties: { state: { enum: ["free", "taken"] } }, additionalProperties: false },
    output: { type: "array", items: berth },
    execute: () => [{ berth_id: "B-7", state: "free" }],
  }),
  defineTool({
    id: "assign_berth",
    description: "Assign a berth to a pilot",
    input: {
      type: "object",
      properties: { berth_id: text("Id such as B-12"), pilot_id: text("Id such as pi-3") },
      required: ["berth_id", "pilot_id"],
      additionalProperties: false,
    },
    output: berth,
    execute: () => ({ berth_id: "B-7", state: "taken" }),
  }),
];
const planloom = new Planloom({ tools, now: "2026-11-22T10:00:00Z", timeZone: "Europe/Berlin" });
const questionsOf = ({ metadata }: TaskData) => (metadata?.questions ?? []) as readonly PlanQuestion[];
const notesOf = ({ metadata }: TaskData) => ((metadata?.issues ?? []) as readonly PlanIssue[]).map((each) => each.code);

test("for an id nothing is suggested but what is written like one, and no other task has", async () => {
  const draft = await planloom.draft("Assign berth B-7 to Mara Vogel on Friday");
  const [question] = questionsOf(draft);
  expect(question?.name).toBe("assign_berth.pilot_id");
  expect(question?.suggestions).toBeUndefined();
});

test("an answer takes the note about the words that it explains, and the plan is judged anew", async () => {
  const draft = await planloom.draft("Assign berth B-7 to Mara Vogel");
  expect(notesOf(draft)).toContain("unresolved");
  const answered = planloom.answer(draft, { "assign_berth.pilot_id": "pi-3" });
  expect(questionsOf(answered)).toEqual([]);
  expect(notesOf(answered)).not.toContain("unresolved");
  expect(answered.metadata?.unresolved).toBeUndefined();
  expect(Number(answered.metadata?.confidence)).toBeGreaterThan(Number(draft.metadata?.confidence));
});

test("the result of a run says what of the goal its plan does not do", async () => {
  const counted = await planloom.run("How many free berths are there?");
  expect(counted.end_reason).toBe("completed");
  expect(counted.plan_issues?.map(({ code }) => code)).toContain("unresolved");
  const whole = await planloom.run("List the free berths");
  expect(whole.end_reason).toBe("completed");
  expect(whole.plan_issues).toBeUndefined();
});
