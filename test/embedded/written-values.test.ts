import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { findLiterals } from "../../packages/embedded/src/language/text/literals.ts";
import { text, toolNeeding as tool } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

describe("texts that are one value as they are written", () => {
  test.for<[text: string, ...found: string[]]>([
    ["Show /srv/anna/notes/todo.md.", "/srv/anna/notes/todo.md"],
    ["List ~/Pictures by size", "~/Pictures"],
    ["Mail /data/q3.xlsx to Bob", "/data/q3.xlsx"],
    ["find *.pdf and **/*.ts under /srv", "*.pdf", "**/*.ts", "/srv"],
    ["lib/main.rs and README.md, then go", "lib/main.rs", "README.md"],
    ["connect to localhost:5432 or 10.0.0.1:80", "localhost:5432", "10.0.0.1:80"],
    ["C:\\data\\a.txt is it", "C:\\data\\a.txt"],
    ["see https://a.example/c?d=1, please", "https://a.example/c?d=1"],
    ["mail a.b@c.example. Now", "a.b@c.example"],
    ["report-2026-11.pdf and v2.3.1", "report-2026-11.pdf"],
    ["a 5 km/h wind and/or 24/7, he said.Then no"],
    ["at 10.30am on 12/05/2026, 2.5kg, e.g. in the U.S. at 3 p.m."],
    ["2*3 and a * b"],
  ])("%s", ([text, ...found]) => {
    expect(findLiterals(text).map(({ start, end }) => text.slice(start, end))).toEqual(found);
  });

  test("in time linear in a text of one long word", () => {
    for (const part of ["a", "/a", "a.", "*a", "a*/", "a@", "a:1"]) {
      const started = process.cpuUsage();
      findLiterals(part.repeat(100_000));
      const used = process.cpuUsage(started);
      expect((used.user + used.system) / 1000, part).toBeLessThan(1500);
    }
  });
});

const archive = [
  tool(
    "stow_document",
    "Move a document to another place in the archive",
    { source: text(), destination: text("Path to move it to") },
    ["source", "destination"],
  ),
  tool("open_document", "Open a document and show its text", { path: text() }, ["path"]),
  tool(
    "shred_documents",
    "Find documents in a drawer by a pattern",
    { path: text(), pattern: text("Pattern of the names") },
    ["path", "pattern"],
  ),
];
const harbour = [
  tool("berth_ship", "Give a ship a berth at a quay", { shipId: text(), quayId: text(), remark: text() }, [
    "shipId",
    "quayId",
  ]),
  tool(
    "answer_signal",
    "Answer a signal that a ship has sent",
    { ship_id: text(), signal_ts: text("Time stamp of the signal, such as 1699999999.000100"), text: text() },
    ["ship_id", "signal_ts", "text"],
  ),
];
const forge = [
  tool(
    "open_merge",
    "Open a merge of a branch of a repository",
    { owner: text("Whose repository it is"), repo: text("Name of the repository"), branch: text() },
    ["owner", "repo", "branch"],
  ),
];

const paris = { now: "2026-11-22T10:00:00Z", timeZone: "Europe/Paris" };

describe("written values go where their shape and their labels say", () => {
  test.for<[goal: string, resources: readonly Resource[], tool: string, args: Record<string, unknown>]>([
    ["Open the document ~/Minutes/q3.txt", archive, "open_document", { path: "~/Minutes/q3.txt" }],
    ["Berth ship shpAbc at quay quaXyz", harbour, "berth_ship", { shipId: "shpAbc", quayId: "quaXyz" }],
    ["At quay quaXyz berth ship shpAbc", harbour, "berth_ship", { shipId: "shpAbc", quayId: "quaXyz" }],
    [
      'Answer "Aye" to the signal 1712345678.123456 of S0123ABCD',
      harbour,
      "answer_signal",
      { ship_id: "S0123ABCD", signal_ts: "1712345678.123456", text: "Aye" },
    ],
    [
      "Open a merge of branch fix-7 in acme/anvils",
      forge,
      "open_merge",
      { owner: "acme", repo: "anvils", branch: "fix-7" },
    ],
  ])("%s", ([goal, resources, name, args]) => {
    expect(callsOf(goal, resources, paris)).toEqual([[name, args]]);
  });
});

const yard = [
  { ...tool("survey_hulls", "Shows the hulls in the yard", { yard: text() }, ["yard"]), read_only: true },
  {
    ...tool("scrap_hulls", "Scraps hulls in the yard", { yard: text() }, ["yard"]),
    read_only: false,
    destructive: true,
  },
  tool(
    "set_crane",
    "Sets a crane of a yard to work",
    { kind: { enum: ["crane", "winch"] }, name: text("Name of the machine"), yard: text() },
    ["kind", "name"],
  ),
];
const desk = [
  tool("read_wire", "Reads what came over the wire", { wire_id: text() }, ["wire_id"]),
  tool("post_notice", "Posts a notice on a board", { board_id: text(), text: text() }, ["board_id", "text"]),
  tool("write_scroll", "Creates a scroll or writes over it", { path: text("Path of the file"), content: text() }, [
    "path",
    "content",
  ]),
];

describe("which resource is called, and with what", () => {
  test.for<[says: string, goal: string, resources: readonly Resource[], ...calls: (readonly [string, unknown])[]]>([
    [
      "a question calls nothing that changes",
      "Which hulls are in the yard North?",
      yard,
      ["survey_hulls", { yard: "North" }],
    ],
    [
      "an order calls nothing that only reads",
      "Scrap the hulls in the yard North",
      yard,
      ["scrap_hulls", { yard: "North" }],
    ],
    [
      "a word beside an argument's name, and beside a kind",
      "Set the crane hercules to work in yard north",
      yard,
      ["set_crane", { kind: "crane", name: "hercules", yard: "north" }],
    ],
    [
      "what is pointed back at is the whole output where none is declared",
      "Read the wire W0AAA111 and post it as a notice to board B0BBB222",
      desk,
      ["read_wire", { wire_id: "W0AAA111" }],
      ["post_notice", { board_id: "B0BBB222", text: "${read_wire}" }],
    ],
    [
      "the same act on a path, though its name says another verb",
      "Read the wire W0AAA111 and save it as /srv/wire.txt",
      desk,
      ["read_wire", { wire_id: "W0AAA111" }],
      ["write_scroll", { path: "/srv/wire.txt", content: "${read_wire}" }],
    ],
  ])("%s", ([, goal, resources, ...calls]) => {
    expect(callsOf(goal, resources, paris)).toEqual(calls);
  });
});
