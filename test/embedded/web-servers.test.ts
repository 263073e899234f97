import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-29T09:00:00Z", timeZone: "UTC" };
const codes = ["US", "IN", "IS", "IT", "NO", "DE", "FR"];
const object = (properties: Record<string, unknown>, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required: [...required],
});
const tool = (id: string, description: string, input_schema: JsonSchema, more: Partial<Resource> = {}): Resource => ({
  ...toolNeeding(id, description, {}),
  input_schema,
  ...more,
});

describe("small words are no codes", () => {
  const search = [
    tool(
      "moss_search",
      "Searches for mosses",
      object(
        {
          query: { type: "string" },
          country: { type: "string", enum: codes, description: "Country code" },
          page: { type: "integer" },
        },
        ["query"],
      ),
    ),
  ];
  test.each([
    ["Search for the tallest moss in Naples", { query: "tallest moss in Naples" }],
    ["Search for mosses that grow on stone", undefined],
    ["Search for peat in country IN", { country: "IN" }],
  ])("%s", (goal, given) => {
    const [call] = callsOf(goal, search, options);
    if (given === undefined) expect(call?.[1]).not.toHaveProperty("country");
    else expect(call?.[1]).toMatchObject(given);
    if (goal.includes("Naples")) expect(call?.[1]).not.toHaveProperty("country");
  });
});

describe("what converters of OpenAPI documents write", () => {
  const answers = "\nError Responses:\n400: Bad request\n404: Page not found or not shared.";
  const wiki = [
    tool(
      "wiki/API-post-search",
      `Lichen | Search by title${answers}`,
      object({
        query: text("The text that titles are compared with"),
        filter: { anyOf: [{ type: "object", properties: { kind: { type: "string" } } }, { type: "string" }] },
      }),
    ),
    tool(
      "wiki/API-post-page",
      `Lichen | Create a page${answers}`,
      object(
        { parent: { anyOf: [{ type: "object", properties: { page_id: { type: "string" } } }, { type: "string" }] } },
        ["parent"],
      ),
    ),
    tool("wiki/API-get-users", `Lichen | List all users${answers}`, object({ page_size: { type: "integer" } })),
    tool(
      "wiki/API-retrieve-page-text",
      `Lichen | Retrieve a page as text${answers}`,
      object({ page_id: { type: "string", format: "uuid", description: "Identifier of a page" } }, ["page_id"]),
    ),
    tool(
      "web/probe",
      "Probe the soil using Mycelia. Gives the acidity",
      object({ place: { type: "string" } }, ["place"]),
    ),
    tool("sheets/query", "Run a read-only SQL query", object({ sql: { type: "string" } })),
  ];
  test.each([
    ['Search Wiki for "Roadmap"', "wiki/API-post-search", { query: "Roadmap" }],
    ["List all users", "wiki/API-get-users", {}],
    [
      "Show me the page 1429989fe8ac4effbc8f57f56486db54 as text",
      "wiki/API-retrieve-page-text",
      { page_id: "1429989f-e8ac-4eff-bc8f-57f56486db54" },
    ],
    ["SELECT * FROM users", "sheets/query", { sql: "SELECT * FROM users" }],
  ])("%s", (goal, id, given) => {
    expect(callsOf(goal, wiki, options)).toEqual([[id, given]]);
  });

  test("nothing is made in order to show something", () => {
    const ids = callsOf("Show me the page as text", wiki, options).map(([id]) => id);
    expect(ids).not.toContain("wiki/API-post-page");
  });

  test("the name of what a tool uses is no open point", () => {
    const { unresolved } = planGoal("Probe Mycelia at the place Heath", wiki, options);
    expect(unresolved.filter(({ text: open }) => open === "Mycelia")).toEqual([]);
  });
});

describe("a browser", () => {
  const browser = [
    tool("browser_navigate", "Navigate to a URL", object({ url: { type: "string" } }, ["url"]), { read_only: false }),
    tool("browser_navigate_back", "Go back to the previous page", object({}), { read_only: false }),
    tool("browser_take_picture", "Take a picture of the current page", object({}), { read_only: true }),
    tool(
      "browser_tabs",
      "List, create, close, or select a browser tab.",
      object({ action: { type: "string", enum: ["list", "new", "close", "select"] }, url: { type: "string" } }, [
        "action",
      ]),
      { read_only: false },
    ),
  ];
  test.each(["Open https://lichen.example/a", "Visit https://lichen.example/a", "Go to https://lichen.example/a"])(
    "%s",
    (goal) => {
      expect(callsOf(goal, browser, options)).toEqual([["browser_navigate", { url: "https://lichen.example/a" }]]);
    },
  );
  test("back is back", () => {
    expect(callsOf("Go back", browser, options)).toEqual([["browser_navigate_back", {}]]);
  });
  test("a question is answered by a tool that can list", () => {
    const { plan, unresolved } = planGoal("Which tabs are open?", browser, options);
    expect(plan.planned_tasks.map(({ tool_id }) => tool_id)).toEqual(["browser_tabs"]);
    expect(unresolved.map(({ reason }) => reason)).toEqual(["missing_argument"]);
  });
});
