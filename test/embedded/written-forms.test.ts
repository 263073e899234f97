import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { flag, text, toolNeeding as tool } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const clock = { now: "2026-03-02T08:00:00Z", timeZone: "UTC" };
const call = (goal: string, ...tools: readonly Resource[]) => callsOf(goal, tools, clock);
const given = (goal: string, ...tools: readonly Resource[]) => call(goal, ...tools)[0]?.[1];

test("kinds of files for a pattern", () => {
  const sift = tool("sift_scrolls", "Find scrolls by a pattern", { folder: text(), pattern: text("Glob to match") }, [
    "folder",
    "pattern",
  ]);
  expect(given("Find all CSV files under /srv/abbey", sift)).toEqual({ folder: "/srv/abbey", pattern: "*.csv" });
});

describe("a switch that only shows what would be done", () => {
  const mend = tool(
    "mend_wall",
    "Mend a wall of the castle and write it down",
    { wall: text(), dryRun: flag("Preview the work without doing it") },
    ["wall"],
  );
  test.for([
    ["Mend the wall north, but don't write it down", true],
    ["Mend the wall north, only show me what it takes", true],
    ["Mend the wall north", undefined],
  ] as const)("%s", ([goal, value]) => {
    expect(given(goal, mend)).toEqual({ wall: "north", ...(value && { dryRun: value }) });
  });
});

test("the order in which things are to come is no value", () => {
  const list = tool(
    "list_barrels",
    "List barrels of the cellar",
    { marks: { type: "array", items: text() }, cellar: text() },
    ["cellar"],
  );
  expect(given('List the barrels of the cellar B7 marked "for the feast", oldest first', list)).not.toHaveProperty(
    "marks",
    ["for the feast", "oldest first"],
  );
});

describe("allowed values", () => {
  const judge = tool(
    "judge_plea",
    "Judge a plea at court",
    { plea: text(), verdict: { type: "string", enum: ["GRANT", "REMARK", "DENY"] }, words: text("What is said of it") },
    ["plea", "verdict"],
  );
  test("the verb of the request chooses; a noun before a quotation does not", () => {
    expect(given('Grant the plea P-17 with the remark "so be it"', judge)).toMatchObject({
      plea: "P-17",
      verdict: "GRANT",
    });
  });
});

test("an address is taken whole, unless its parts are asked for", () => {
  const locate = tool("locate_house", "Find where a house stands", { address: text() }, ["address"]);
  const parts = tool("check_house", "Check a house", { street: text(), city: text() }, ["street", "city"]);
  expect(given("Find where 17 Mill Lane, Oldham stands", locate)).toEqual({ address: "17 Mill Lane, Oldham" });
  expect(given("Check the house 17 Mill Lane, Oldham", parts)).toMatchObject({ city: "Oldham" });
});

describe("time zones by their cities", () => {
  const turn = tool(
    "turn_time",
    "Turn a time of one zone into that of another",
    {
      source_tz: text("IANA zone it is said in"),
      time: text("Time (HH:MM)"),
      target_tz: text("IANA zone to turn it into"),
    },
    ["source_tz", "time", "target_tz"],
  );
  test.for(["What is the time in Lima when it is 15:00 in Oslo?", "Turn 15:00 from Oslo to Lima"])("%s", (goal) => {
    expect(given(goal, turn)).toEqual({ source_tz: "Europe/Oslo", time: "15:00", target_tz: "America/Lima" });
  });
});

test('"as" gives a name', () => {
  const brew = tool("brew_ale", "Brew an ale of a recipe", { name: text("Name of the ale"), recipe: text() }, [
    "name",
    "recipe",
  ]);
  expect(given("Brew the recipe R-12 as moonlight", brew)).toEqual({ name: "moonlight", recipe: "R-12" });
});

test("what a noun tells is taken to the end of its clause", () => {
  const note = tool("note_omen", "Write an omen down", { omen: text() }, ["omen"]);
  expect(given("Write down the omen that crows leave every March", note)).toEqual({
    omen: "crows leave every March",
  });
});

describe("formal languages", () => {
  const ask = tool("ask_ledger", "Run a SELECT over the ledger", { query: text("SQL to run") }, ["query"]);
  test("a statement is taken as it stands", () => {
    expect(given("SELECT name FROM monks WHERE abbey = 'Melk'", ask)).toEqual({
      query: "SELECT name FROM monks WHERE abbey = 'Melk'",
    });
  });
  test("plain words are none: they are asked for", () => {
    const { plan, unresolved } = planGoal("Run over the ledger the monks of Melk", [ask], clock);
    expect(plan.planned_tasks[0]?.arguments).toEqual({});
    expect(unresolved).toContainEqual(expect.objectContaining({ reason: "missing_argument", text: "query" }));
  });
});

test("one object for a list of objects, and a value with a slash", () => {
  const fill = tool(
    "fill_shelf",
    "Fill a shelf with jars",
    { shelf_id: text(), jars: { type: "array", items: { type: "object" } } },
    ["shelf_id", "jars"],
  );
  expect(given('Fill the shelf 2009/101 with {"herb": "sage", "grams": 40}', fill)).toEqual({
    shelf_id: "2009/101",
    jars: [{ herb: "sage", grams: 40 }],
  });
});

test("a store and what is stored in it, in one word", () => {
  const tally = tool("tally_jars", "Count the jars of a collection", { database: text(), collection: text() }, [
    "database",
    "collection",
  ]);
  expect(given("Count the jars in pantry.pickles", tally)).toEqual({ database: "pantry", collection: "pickles" });
});

test("a pronoun after a preposition of place stands for the folder that was made before", () => {
  const make = tool("make_drawer", "Create a drawer, which is a folder", { path: text("Path to the drawer") }, [
    "path",
  ]);
  const stow = tool("stow_scroll", "Move a scroll file to another place", { source: text(), destination: text() }, [
    "source",
    "destination",
  ]);
  expect(call("Create the drawer /srv/new and move a.txt from /srv/old into it", make, stow)).toEqual([
    ["make_drawer", { path: "/srv/new" }],
    ["stow_scroll", { source: "/srv/old/a.txt", destination: "/srv/new" }],
  ]);
});

test("who gets a letter is not what it says, and what it is about is no thing", () => {
  const write = tool("write_letter", "Write a letter to the crew of a ship", { shipId: text(), letter: text() }, [
    "shipId",
    "letter",
  ]);
  const body = tool("send_letter", "Send a letter", { recipient_id: text(), body: text() }, ["recipient_id", "body"]);
  expect(given("Send a letter to the crew", body)).toEqual({});
  expect(given("Write a letter about the broken mast", write)).not.toHaveProperty("shipId");
});

test("a list that must be given ids is a function where they are written out", () => {
  const rows = { type: "array", items: { type: "object", properties: { id: text(), colour: text() } } };
  const list: Resource = {
    ...tool(
      "list_jars",
      "List the jars of a shelf",
      { shelfId: text(), hallId: text(), colour: text(), maxJars: { type: "integer" } },
      ["shelfId", "hallId"],
    ),
    output_schema: rows,
  };
  const others = ["fill", "clean", "label"].map((verb) => tool(`${verb}_shelf`, `${verb} a shelf`, {}, []));
  expect(given("Show the first 20 jars of shelf shA7 in hall haOst", list, ...others)).toEqual({
    shelfId: "shA7",
    hallId: "haOst",
    maxJars: 20,
  });
});

test("what it is about, where the noun is the argument's, and the output that is called after its tool", () => {
  const counsel = tool(
    "counsel_abbot",
    "Ask an abbot for counsel",
    { quarrel: text("The quarrel to be settled"), abbot: text() },
    ["quarrel", "abbot"],
  );
  expect(given("Ask the abbot named Otto for counsel about this old quarrel", counsel)).toEqual({
    quarrel: "old quarrel",
    abbot: "Otto",
  });
  const tide = tool("get_tide", "Get the tide at a port", { port: text() }, ["port"]);
  const send = tool("send_raven", "Send a raven", { tower_number: text(), content: text() }, [
    "tower_number",
    "content",
  ]);
  expect(call("Get the tide at Dover, then send a raven to 7712345 with the tide information", tide, send)).toEqual([
    ["get_tide", { port: "Dover" }],
    ["send_raven", { tower_number: "7712345", content: "${get_tide}" }],
  ]);
});
