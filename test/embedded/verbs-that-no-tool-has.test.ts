import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";

const reading = { read_only: true } as const;
const foundry: readonly Resource[] = [
  { ...toolNeeding("get_casting", "Get a casting", { casting_id: text() }), ...reading },
  toolNeeding("close_casting", "Close a casting", { casting_id: text() }),
  { ...toolNeeding("get_customer", "Get a customer", { customer_id: text() }), ...reading },
  toolNeeding("notify_customer", "Notify a customer", { customer_id: text(), message: text() }),
];
const withTemper: readonly Resource[] = [
  ...foundry,
  toolNeeding("set_temper", "Change the temper of a casting", {
    casting_id: text(),
    temper: { type: "string", enum: ["soft", "hard"] },
  }),
];
const callsOf = (goal: string, tools: readonly Resource[]) =>
  planGoal(goal, tools).plan.planned_tasks.map((task) => [task.tool_id, task.arguments]);

describe("nothing is called for a verb that no tool has", () => {
  test.for([
    "raise casting 9",
    "raise the temper of casting 9",
    "approve casting 9",
    "move casting 9",
    "archive casting 9",
    "rename casting 9",
    "copy casting 9",
  ])("%s", (goal) => {
    expect(callsOf(goal, foundry)).toEqual([]);
  });
});

describe("a tool does what another verb for the same says", () => {
  test.for([
    ["finish casting 9", foundry, "close_casting", { casting_id: "9" }],
    ["resolve casting 9", foundry, "close_casting", { casting_id: "9" }],
    ["show casting 9", foundry, "get_casting", { casting_id: "9" }],
    ["raise casting 9 to hard", withTemper, "set_temper", { casting_id: "9", temper: "hard" }],
  ] as const)("%s", ([goal, tools, tool, given]) => {
    expect(callsOf(goal, tools)).toEqual([[tool, given]]);
  });
});
