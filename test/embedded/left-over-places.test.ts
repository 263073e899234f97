import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";

const text = { type: "string" };
const tool = (id: string, description: string, properties: object, required: string[]): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
});
const place = { region: { ...text, description: "Region name" }, glacier: { ...text, description: "Glacier name" } };
const tools = [
  tool("glacier_mass", "Gets the mass of a glacier", place, ["region", "glacier"]),
  tool("glacier_cracks", "Gets the cracks of a glacier", place, ["region", "glacier"]),
  tool("rename_glacier", "Rename a glacier", { glacier_id: text, new_name: text }, ["glacier_id", "new_name"]),
  tool(
    "nearest_huts",
    "Huts near a point",
    {
      lat: { type: "number" },
      lng: { type: "number" },
      radius_m: { type: "integer", description: "Radius in metres" },
    },
    ["lat", "lng"],
  ),
  tool("get_guide", "Get one guide", { guide_id: { ...text, description: "Guide id" } }, ["guide_id"]),
  tool("search_guides", "Search guides", { q: { ...text, description: "Name, email or phone" } }, ["q"]),
  tool("add_waypoint", "Adds a waypoint to a tour", { tour_id: text, title: text, metres: { type: "integer" } }, [
    "tour_id",
    "title",
    "metres",
  ]),
  tool(
    "upload_recording",
    "Uploads the audio of a tour",
    { tour_id: text, audio_url: { ...text, format: "uri", description: "URL of an MP3 file" } },
    ["tour_id", "audio_url"],
  ),
];
const plan = (goal: string) => planGoal(goal, tools).plan;
const calls = (goal: string) => plan(goal).planned_tasks.map(({ tool_id, arguments: own }) => [tool_id, own]);

test("a place that no argument took is the name that a call lacks", () => {
  const said = { region: "vanoise", glacier: "gebroulaz" };
  expect(calls("Show me the mass of the glacier gebroulaz in vanoise")).toEqual([["glacier_mass", said]]);
  expect(calls("Show me the cracks of the glacier gebroulaz in the vanoise region")).toEqual([
    ["glacier_cracks", said],
  ]);
});

test("no place is an id", () => {
  expect(JSON.stringify(calls("rename the glacier in vanoise to Alba"))).not.toContain("vanoise");
});

test("two numbers with decimals and a comma between are a point, whatever number comes before", () => {
  expect(calls("huts within 300 metres of 52.5163, 13.3777")).toEqual([
    ["nearest_huts", { lat: 52.5163, lng: 13.3777, radius_m: 300 }],
  ]);
});

test("an address of mail goes to the tool that finds by it", () => {
  expect(calls("find the guide petra.k@example.org")).toEqual([["search_guides", { q: "petra.k@example.org" }]]);
});

test("a recording goes to the tool that takes recordings", () => {
  expect(calls("add https://cdn.example.com/a.mp3 to tour T-205")).toEqual([
    ["upload_recording", { tour_id: "T-205", audio_url: "https://cdn.example.com/a.mp3" }],
  ]);
});
