import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, tool as toolRecord } from "../support/tool-records.ts";

const clock = { now: "2026-11-23T12:00:00Z", timeZone: "UTC" };
const day = (description: string): JsonSchema => ({ type: "string", format: "date", description });
const tool = (id: string, description: string, properties: Record<string, JsonSchema>, required: string[] = []) =>
  toolRecord(id, description, properties, undefined, required);
const rows: JsonSchema = { type: "array", items: { type: "object", properties: { loan_id: text(), state: text() } } };
/** With what it gives, so that a goal is read as a question about records; without it, as calls of functions. */
const asRecords = (resource: Resource): Resource => ({
  ...resource,
  output_schema: { type: "object", properties: { rows } },
});

/** A lending library; loans have a reader, a state and a day on which they began. */
const library: readonly Resource[] = [
  tool("search_loans", "Search loans by state, reader, desk or the day they began", {
    state: { type: "string", enum: ["running", "overdue", "returned", "lost"] },
    media: { type: "string", enum: ["book", "film"] },
    reader_id: text("Id of the reader, e.g. rd-4"),
    desk: text("Name of the desk"),
    begun_after: day("Only loans begun on or after this date"),
    begun_before: day("Only loans begun on or before this date"),
    updated_before: day("Only loans updated before this date"),
  }),
  tool("find_reader", "Find a reader by name", { name: text("Name of the reader") }),
  tool("list_desks", "List the desks of the library", {
    open_now: { type: "boolean", description: "Only open desks" },
  }),
  tool(
    "create_loan",
    "Create a loan for a reader",
    { reader_id: text(), title: text("Title of what is lent"), due_on: day("Day of return") },
    ["reader_id", "title"],
  ),
];

function read(goal: string, resources = library.map(asRecords)) {
  const { plan, unresolved } = planGoal(goal, resources, clock);
  return {
    calls: plan.planned_tasks.map(({ tool_id, arguments: given }) => [tool_id, given]),
    notes: unresolved.map(({ message }) => message).join("\n"),
    confidence: plan.metadata?.confidence as number,
  };
}

describe("what is to be left out is never what is asked for", () => {
  test.for([
    ["Show all loans except the returned ones", "returned"],
    ["List loans other than lost ones", "lost"],
    ["List all loans excluding overdue ones", "overdue"],
    ["Show loans apart from the returned ones", "returned"],
    ["Show loans that are not overdue", "overdue"],
    ["Show loans not handled by rd-7", "rd-7"],
  ])("%s", ([goal, left]) => {
    expect(read(goal!, [...library]).calls).toEqual([["search_loans", {}]]);
    expect(read(goal!, [...library]).notes).toContain("has no parameter that leaves out");
    const { calls, notes, confidence } = read(goal!);
    expect(calls).toEqual([["search_loans", {}]]);
    expect(notes).toContain("has no parameter that leaves out");
    expect(notes).toContain(left);
    expect(confidence).toBeLessThan(0.5);
  });

  test("of two values the other one is meant; what is not left out is a filter", () => {
    expect(read("Show loans except films").calls).toEqual([["search_loans", { media: "book" }]]);
    expect(read("Show the overdue loans").calls).toEqual([["search_loans", { state: "overdue" }]]);
    expect(read("Show the overdue loans").notes).toBe("");
  });

  test("that there are none of a kind is no negation of the kind", () => {
    const [first] = read('If there are no overdue loans then create a loan for rd-4 with title "Emma"').calls;
    expect(first).toEqual(["search_loans", { state: "overdue" }]);
  });
});

describe("whose", () => {
  test('"my" is open where a resource could be narrowed down to a person', () => {
    expect(read("Show my loans")).toMatchObject({
      notes: expect.stringMatching(/Nothing says who you are.*reader_id/),
    });
    expect(read("Show my desks").notes).toBe("");
  });

  test('"their" is open where nothing links it', () => {
    expect(read("For each open desk list their overdue loans").notes).toMatch(/"their loans" belongs to/);
  });
});

describe('values that a label, a shape or "about" belongs to', () => {
  test.for([
    ['Create a loan for rd-4 about "Emma"', { reader_id: "rd-4", title: "Emma" }],
    ['Create a loan for rd-12 with title "The Trial"', { reader_id: "rd-12", title: "The Trial" }],
  ] as const)("%s", ([goal, given]) => {
    expect(read(goal).calls).toEqual([["create_loan", given]]);
  });
});

describe("days", () => {
  test.for([
    ["Show loans begun before yesterday", { begun_before: "2026-11-21" }],
    ["Show loans begun after 20 November 2026", { begun_after: "2026-11-21" }],
    ["Show loans updated before yesterday", { updated_before: "2026-11-22" }],
  ] as const)("%s, as the description counts the day itself", ([goal, given]) => {
    expect(read(goal).calls).toEqual([["search_loans", given]]);
  });

  test("a day on which something is due says nothing of when it was changed", () => {
    const { calls, notes } = read("Show loans due tomorrow");
    expect(calls).toEqual([["search_loans", {}]]);
    expect(notes).not.toBe("");
  });
});
