import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const tool = (id: string, description: string, properties: object, required: string[]): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  read_only: /^get/.test(id),
});
const hive = { hive_id: { type: "string", description: "The hive, e.g. hive.north_meadow" } };
const tools = [
  tool("get_hive", "Get the state of a hive", hive, ["hive_id"]),
  tool(
    "get_log",
    "Get the log of a hive's state changes",
    { ...hive, hours: { type: "integer", description: "Hours of the log", default: 24 } },
    ["hive_id"],
  ),
  tool(
    "get_log_range",
    "Get the raw state log of a hive over a range of days",
    {
      ...hive,
      start_time: { type: "string", description: "ISO-8601 start, e.g. `2026-05-15` or `2026-05-15T08:00:00Z`" },
      end_time: { type: "string", description: "ISO-8601 end" },
      period: { type: "string", default: "hour" },
    },
    ["hive_id", "start_time"],
  ),
  tool("get_hive_volume", "Gets the weight of the honey", { apiary: text, hive: text }, ["apiary", "hive"]),
  tool("get_hive_details", "Fetches what is known of a hive", { hive_number: { type: "integer" } }, ["hive_number"]),
  tool("get_hive_queens", "Retrieves the queens of a hive", { hive_number: { type: "integer" } }, ["hive_number"]),
  tool(
    "attach_image_to_hive",
    "Attach an image to a hive from a URL",
    { hive_number: { type: "integer" }, imageUrl: { type: "string", description: "URL of the image to attach" } },
    ["hive_number", "imageUrl"],
  ),
  tool(
    "attach_file_to_hive",
    "Attach any file to a hive from a URL",
    { hive_number: { type: "integer" }, fileUrl: { type: "string", description: "URL of the file to attach" } },
    ["hive_number", "fileUrl"],
  ),
];
const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
const plan = (goal: string) =>
  planGoal(goal, tools, clock).plan.planned_tasks.map(({ tool_id, arguments: own }) => [tool_id, own]);
const toolsOf = (goal: string) => plan(goal).map(([tool]) => tool);

test("the noun that a question asks for is that of the sentence that opens a description", () => {
  expect(toolsOf("what's the state of hive.north_meadow")).toEqual(["get_hive"]);
  expect(toolsOf("what's the log of hive.north_meadow")).toEqual(["get_log"]);
});

test("what lasts calls the tool that counts its unit, and two days the tool that takes them", () => {
  expect(plan("log of hive.north_meadow for the last 48 hours")).toEqual([
    ["get_log", { hive_id: "hive.north_meadow", hours: 48 }],
  ]);
  expect(plan("log of hive.north_meadow from 2026-01-01 to 2026-01-31")).toEqual([
    ["get_log_range", { hive_id: "hive.north_meadow", start_time: "2026-01-01", end_time: "2026-01-31" }],
  ]);
});

test("two things that are named without a verb are a call each, details among them", () => {
  expect(toolsOf("details and queens of hive 17 please").toSorted()).toEqual(["get_hive_details", "get_hive_queens"]);
});

test("a document is no image, whatever link it has", () => {
  expect(toolsOf("attach https://files.example.com/permit.pdf to hive 17")).toEqual(["attach_file_to_hive"]);
  expect(toolsOf("attach https://files.example.com/brood.png to hive 17")).toEqual(["attach_image_to_hive"]);
});
