import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-29T09:00:00Z", timeZone: "UTC" };

/** A database of a mill, as servers of databases declare themselves. */
const mill = [
  toolNeeding("read_rows", "Execute a SELECT query on the mill database", {
    query: text("SELECT SQL query to execute"),
  }),
  toolNeeding("write_rows", "Execute an INSERT, UPDATE, or DELETE query on the mill database", {
    query: text("SQL query to execute"),
  }),
  toolNeeding("make_sheet", "Create a new sheet in the mill database", { query: text("CREATE TABLE SQL statement") }),
  toolNeeding("list_sheets", "List all sheets in the mill database", {}),
  toolNeeding("describe_sheet", "Get the columns of a sheet", { sheet_name: text("Name of the sheet to describe") }),
  toolNeeding("grind_log", "Show the log of the millstones", { stone: text("Name of the stone") }),
];
const calls = (goal: string) => callsOf(goal, mill, options);

describe("a statement is one value, wherever it is in the sentence", () => {
  test.each([
    ["run the query SELECT * FROM sacks WHERE state = 'full'", "SELECT * FROM sacks WHERE state = 'full'"],
    ["Run select * from sacks where kilos > 15", "select * from sacks where kilos > 15"],
    ["SELECT kilos FROM sacks", "SELECT kilos FROM sacks"],
    [
      "Show the full sacks with the query SELECT * FROM sacks WHERE day > '2026-01-01'.",
      "SELECT * FROM sacks WHERE day > '2026-01-01'",
    ],
    [
      "How heavy are they? (SELECT sum(kilos) FROM sacks WHERE owner = 'Ann')",
      "SELECT sum(kilos) FROM sacks WHERE owner = 'Ann'",
    ],
    ["run `SELECT 'a; then b' AS said FROM sacks`", "SELECT 'a; then b' AS said FROM sacks"],
  ])("%s", (goal, query) => {
    expect(calls(goal)).toEqual([["read_rows", { query }]]);
  });

  test("what follows it is a request of its own", () => {
    expect(calls("Run the query SELECT count(*) FROM sacks WHERE owner = 'Ann', then list the sheets")).toEqual([
      ["read_rows", { query: "SELECT count(*) FROM sacks WHERE owner = 'Ann'" }],
      ["list_sheets", {}],
    ]);
  });
});

describe("the keyword chooses the tool", () => {
  test.each([
    ["execute `DELETE FROM sacks WHERE id = 2`", "write_rows", "DELETE FROM sacks WHERE id = 2"],
    ['Run "UPDATE sacks SET kilos = 3 WHERE id = 1"', "write_rows", "UPDATE sacks SET kilos = 3 WHERE id = 1"],
    ["Insert a sack: INSERT INTO sacks VALUES (4, 'Eve')", "write_rows", "INSERT INTO sacks VALUES (4, 'Eve')"],
    [
      "Create a sheet with CREATE TABLE carts (id INTEGER, name TEXT)",
      "make_sheet",
      "CREATE TABLE carts (id INTEGER, name TEXT)",
    ],
  ])("%s", (goal, tool, query) => {
    expect(calls(goal)).toEqual([[tool, { query }]]);
  });

  test("one that only reads is given none that changes something", () => {
    const reader = [toolNeeding("query", "Run a read-only SQL query", { sql: text("") })];
    expect(callsOf("Run SELECT a FROM b", reader, options)).toEqual([["query", { sql: "SELECT a FROM b" }]]);
    expect(callsOf("DELETE FROM sacks", reader, options)).toEqual([]);
  });
});

test("English that begins like a statement is none", () => {
  expect(calls("Describe the sheet sacks and select the best from it")).toEqual([
    ["describe_sheet", { sheet_name: "sacks" }],
  ]);
});

test("a statement of many thousand characters is read in time that grows with it", () => {
  const long = (rows: number) =>
    `Run INSERT INTO sacks VALUES ${Array.from({ length: rows }, (_, at) => `(${at}, 'a')`).join(", ")}`;
  const took = (goal: string) => {
    const began = process.cpuUsage();
    planGoal(goal, mill, options);
    const { user } = process.cpuUsage(began);
    return user / 1_000;
  };
  took(long(10));
  expect(took(long(1_500))).toBeLessThan(40 * Math.max(20, took(long(150))));
});

test.each([
  ["blanks behind what announces one", `run${" ".repeat(19_000)}x`],
  ["beginnings without an end", "SELECT ".repeat(2_800)],
  ["blanks within one", `SELECT a FROM b${" ".repeat(19_000)}c`],
  ["quotation marks", `SELECT a FROM b ${"'".repeat(19_000)}`],
])("a goal made of %s is read soon", (_, goal) => {
  const { user: before } = process.cpuUsage();
  planGoal(goal, mill, options);
  expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(4_000);
});

describe("the thing that tools speak of is no name", () => {
  test.each(["For each sheet in the database, describe it", "Describe all sheets of the database"])("%s", (goal) => {
    const { plan } = planGoal(goal, mill, options);
    expect(plan.planned_tasks.map(({ arguments: given }) => given)).not.toContainEqual({ sheet_name: "database" });
  });
  test("what no tool speaks of may be one", () => {
    expect(calls("Show the log of the stone in the cellar")).toEqual([["grind_log", { stone: "cellar" }]]);
  });
});
