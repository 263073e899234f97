import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, texts, toolNeeding as tool, whole } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const call = (goal: string, ...tools: readonly Resource[]) => callsOf(goal, tools);

describe("which end of a change a value is", () => {
  const mend = tool(
    "mend_ballads",
    "Replace words in the ballads of a songbook",
    { replacement: text("Words to put in"), words: text("Words to look for"), songbook: text() },
    ["songbook", "words", "replacement"],
  );
  const graft = tool(
    "graft_branch",
    "Graft a branch of a plum tree",
    { stock: text("The tree to graft into"), scion: text("The branch to take"), origin: text() },
    ["stock", "scion"],
  );

  test.for(['Replace "thee" by "you" in the songbook Hymns', 'Replace "thee" with "you" in the songbook Hymns'])(
    "%s",
    (goal) => {
      expect(call(goal, mend)).toEqual([["mend_ballads", { songbook: "Hymns", words: "thee", replacement: "you" }]]);
    },
  );

  test("the preposition that a description ends in", () => {
    expect(call("Graft the branch W7 from Kent into Z9", graft)).toEqual([
      ["graft_branch", { stock: "Z9", scion: "W7", origin: "Kent" }],
    ]);
  });
});

describe("files and folders", () => {
  const stow = tool("stow_scroll", "Move a scroll file to another place", { source: text(), destination: text() }, [
    "source",
    "destination",
  ]);
  const stamp = tool("stamp_scrolls", "Stamp scrolls of an archive", { archive_dir: text(), files: texts() }, [
    "archive_dir",
    "files",
  ]);
  const fill = tool(
    "fill_ledger",
    "Fill a ledger from a list",
    { path: text("Path to the ledger"), csv_path: text("Path to the list") },
    ["path", "csv_path"],
  );

  test("a file from a folder is one path, and the folder goes nowhere else", () => {
    expect(call("Move a.txt from /srv/old to /srv/new", stow)).toEqual([
      ["stow_scroll", { source: "/srv/old/a.txt", destination: "/srv/new" }],
    ]);
  });

  test("a folder for two files", () => {
    expect(call("Move a.txt to b.txt in /srv/old", stow)).toEqual([
      ["stow_scroll", { source: "/srv/old/a.txt", destination: "/srv/old/b.txt" }],
    ]);
  });

  test("files to the parameter for files, a folder to the one for a folder", () => {
    expect(call("Stamp the scrolls a.md and b/c.md in /srv/abbey", stamp)).toEqual([
      ["stamp_scrolls", { archive_dir: "/srv/abbey", files: ["a.md", "b/c.md"] }],
    ]);
  });

  test("a file goes where its extension is named", () => {
    expect(call("Fill with /srv/tolls.csv the ledger /srv/main.book", fill)).toEqual([
      ["fill_ledger", { path: "/srv/main.book", csv_path: "/srv/tolls.csv" }],
    ]);
  });
});

describe("numbers and their nouns", () => {
  const weave = tool(
    "weave_threads",
    "Weave threads into a cloth",
    { start: whole("Thread to begin before"), count: whole("How many threads to weave in") },
    ["start", "count"],
  );
  test.for(["Weave 3 threads before thread 12 of the cloth", "Weave in before thread 12 some 3 threads"])(
    "%s",
    (goal) => {
      expect(call(goal, weave)).toEqual([["weave_threads", { start: 12, count: 3 }]]);
    },
  );
});

describe("what is sought for", () => {
  const seek = tool("seek_scrolls", "Find scrolls in the library", { query: text(), max: whole("How many at most") }, [
    "query",
  ]);
  test.for([
    ["Find me 3 scrolls about salt taxes in river towns", "salt taxes in river towns"],
    ["Find Roman water laws", "Roman water laws"],
    ["Find scrolls mentioning honey and send them to me", "honey"],
  ])("%s", ([goal = "", query]) => {
    expect(call(goal, seek)[0]?.[1]).toHaveProperty("query", query);
  });
});

test("what is to be left out", () => {
  const sweep = tool(
    "sweep_rooms",
    "Sweep the rooms of a castle",
    { castle: text(), exclude_rooms: texts("Rooms to leave alone"), rooms: texts("Rooms to sweep") },
    ["castle"],
  );
  expect(call("Sweep the castle Karlstein but skip the TREASURY", sweep)).toEqual([
    ["sweep_rooms", { castle: "Karlstein", exclude_rooms: ["TREASURY"] }],
  ]);
});

describe("what nobody said", () => {
  const list = tool(
    "list_barges",
    "List barges",
    {
      harbour: { type: "string", description: "Harbour", default: "main" },
      harbourmaster: text("Who keeps it"),
      form: { type: "string", enum: ["harb", "wide"], description: "Form of the list" },
      allHarbours: { type: "boolean", description: "If true, list barges of all harbours" },
    },
    ["harbour"],
  );
  test("no switch, no choice that only begins like the name of an argument, no default where a value is said", () => {
    expect(call("List the barges in the harbour Ulm", list)).toEqual([["list_barges", { harbour: "Ulm" }]]);
    expect(call("List the barges in ulm", list)).toEqual([["list_barges", { harbour: "ulm" }]]);
  });
});
