import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-28T09:00:00Z", timeZone: "UTC" };
const reading = { read_only: true } as const;

const stable = [
  { ...toolNeeding("get_horse", "Get a horse", { horse_id: text("The horse ID") }), ...reading },
  { ...toolNeeding("get_horse_history", "Get what a horse went through", { horse_id: text("Horse ID") }), ...reading },
  toolNeeding("remove_rider", "Remove a rider from a horse", {
    horse_id: text("ID of the horse"),
    rider_id: text("ID of the rider"),
  }),
  { ...toolNeeding("weigh_stall", "Weigh what is in a stall", { stall: text("Name of the stall") }), ...reading },
];
const openOf = (goal: string) =>
  planGoal(goal, stable, options).unresolved.map(({ reason, text: said }) => [reason, said]);

describe("a clause of its own", () => {
  test("is a call, where a tool does what it asks for with values of the call before", () => {
    expect(
      callsOf("Remove rider R5512 from horse H7719 and show what happened to the horse so far", stable, options),
    ).toEqual([
      ["remove_rider", { rider_id: "R5512", horse_id: "H7719" }],
      ["get_horse_history", { horse_id: "H7719" }],
    ]);
  });

  test("is reported where no call is made for it", () => {
    expect(openOf('Weigh the stall "North End" and then find blacksmiths near it')).toEqual([
      ["no_resource", "find blacksmiths near it"],
    ]);
    expect(openOf('Weigh the stall "North End"')).toEqual([]);
  });

  test("is not reported where it asks for what the call before yields", () => {
    expect(openOf("Show me horse H7719 and tell me about its age")).toEqual([]);
  });
});
