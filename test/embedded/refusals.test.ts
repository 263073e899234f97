import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const text = { type: "string" };
const fish = { type: "object", properties: { id: text, species: text, tank_id: text, age: { type: "integer" } } };
const tool = (id: string, description: string, properties: object, required: string[], more: object): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...more,
});
const aquarium = (isTyped: boolean): Resource[] => {
  const yields = (output_schema: object) => (isTyped ? { output_schema } : {});
  const fishId = { ...text, description: "Id of the fish" };
  return [
    tool("list_fish", "List the fish of the aquarium", { species: text, tank_id: text }, [], {
      read_only: true,
      ...yields({ type: "array", items: fish }),
    }),
    tool("get_fish", "Get one fish by its id", { fish_id: fishId }, ["fish_id"], { read_only: true, ...yields(fish) }),
    tool("transfer_fish", "Transfer a fish to a tank", { fish_id: fishId, tank_id: text }, ["fish_id", "tank_id"], {
      read_only: false,
      ...yields(fish),
    }),
    tool("release_fish", "Release a fish to the sea", { fish_id: fishId, note: text }, ["fish_id"], {
      destructive: true,
      ...yields(fish),
    }),
  ];
};
const kinds = [
  ["declared outputs", aquarium(true)],
  ["no outputs", aquarium(false)],
] as const;
const read = (goal: string, resources: readonly Resource[]) => {
  const { plan, unresolved } = planGoal(goal, resources, { now: new Date("2026-03-04T10:30:00Z"), timeZone: "UTC" });
  return {
    calls: plan.planned_tasks.map((task) => [task.tool_id, task.arguments] as const),
    messages: unresolved.map(({ message }) => message),
  };
};

describe.each(kinds)("over tools with %s", (_, tools) => {
  test.for([
    "dont release F-7",
    "Don't release F-7",
    "don’t release F-7",
    "DONT transfer F-7 to TK-2",
    "do not release F-7",
    "never release the fish F-7",
    "please do not ever release F-7",
    "cannot release F-7, keep it",
    "you must not release F-7",
    "we shouldn't release F-7",
    "no need to release F-7",
    "there is no need to transfer fish F-7 to TK-2",
    "it's not allowed to release F-7",
    "avoid releasing F-7",
    "skip releasing F-7",
    "refrain from releasing F-7",
    "no releasing of F-7",
    "nobody should release F-7",
    "under no circumstances release F-7",
    "make sure not to release F-7",
    "make sure F-7 is not released",
    "F-7 must not be released",
    "I don't want F-7 released",
    "I do not want you to release F-7",
    "do not transfer or release F-7",
    "do not release F-7, F-8 or F-9",
    "leave F-7 alone",
    "leave the fish F-7 where it is",
    "keep F-7",
    "I'd rather not release F-7",
    "better not release F-7",
    "we prefer not to release F-7",
    "never mind releasing F-7",
  ])("what is not to be done calls nothing and is said so: %s", (goal) => {
    const { calls, messages } = read(goal, tools);
    expect(calls).toEqual([]);
    expect(messages).toEqual([expect.stringContaining("says what is not to be done")]);
  });

  test.for([
    "leave F-7 but release F-9",
    "keep F-7 and release F-9",
    "release F-9 but keep F-7",
    "release F-9 but leave F-7 alone",
    "dont release F-7, release F-9",
    "release F-9, not F-7",
    "release F-9 rather than F-7",
    "release F-9 instead of F-7",
    "release F-9 without transferring F-7",
    "don't forget to release F-9",
  ])("what is spared lends no value to what is asked: %s", (goal) => {
    expect(read(goal, tools).calls).toEqual([["release_fish", { fish_id: "F-9" }]]);
  });
});

test("a tool that is called by the verb is asked for by it", () => {
  const rooms = [
    tool("leave_room", "Leave a room that one is in", { room_id: text }, ["room_id"], { read_only: false }),
    tool("close_room", "Close a room", { room_id: text }, ["room_id"], { read_only: false }),
    tool("list_rooms", "List the rooms", {}, [], { read_only: true }),
    tool("get_room", "Get a room", { room_id: text }, ["room_id"], { read_only: true }),
  ];
  expect(read("Leave R-5", rooms).calls).toEqual([["leave_room", { room_id: "R-5" }]]);
  expect(read("Leave R-5 alone", rooms).calls).toEqual([]);
  expect(read("Which rooms must not be closed?", rooms).calls).toEqual([["list_rooms", {}]]);
});
