import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { text, texts, toolNeeding } from "../support/tool-records.ts";

const reading = (resource: Resource): Resource => ({ ...resource, read_only: true });
const callsOf = (resources: readonly Resource[]) => (goal: string) =>
  planGoal(goal, resources, { now: "2026-11-24T09:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

describe("a code says of what kind the thing is", () => {
  const brewery = callsOf([
    reading(toolNeeding("list_batches", "List batches", { tank: text("Tank, e.g. TK-04"), style: text() }, [])),
    reading(toolNeeding("get_batch", "Get a batch", { batch_id: text("Batch id, e.g. BR1042") })),
    reading(
      toolNeeding("get_batch_log", "Audit trail of a batch: who did what and when", { batch_id: text("Batch id") }),
    ),
    toolNeeding("discard_batch", "Discard a batch", { batch_id: text("Batch id") }),
    toolNeeding("move_batch", "Move a batch to a tank", { batch_id: text("Batch id"), tank: text("Tank") }),
    reading(toolNeeding("find_bottles", "Find bottles by label or size", { label: text(), size: text() }, [])),
  ]);

  test.for([
    ["what is in TK-09?", [["list_batches", { tank: "TK-09" }]]],
    ["throw away BR1042", [["discard_batch", { batch_id: "BR1042" }]]],
    ["show me brew BR1042", [["get_batch", { batch_id: "BR1042" }]]],
  ] as const)("%s", ([goal, calls]) => {
    expect(brewery(goal)).toEqual(calls);
  });
});

describe("files and folders", () => {
  const shelf = callsOf([
    reading(
      toolNeeding("list_files_in_dir", "List the files of a directory of the archive", {
        dirpath: text("Path to the directory"),
      }),
    ),
    reading(
      toolNeeding("get_file_contents", "Return the content of one file of the archive", {
        filepath: text("Path to the file"),
      }),
    ),
    reading(
      toolNeeding("batch_get_file_contents", "Return the contents of many files of the archive", {
        filepaths: texts("Paths to the files"),
      }),
    ),
    toolNeeding("put_content", "Replace the content of a file", {
      filepath: text("Path to the file"),
      content: text(),
    }),
  ]);

  test("what is open already is shown, by the tool for one file", () => {
    expect(shelf("Open Charts/North.md")).toEqual([["get_file_contents", { filepath: "Charts/North.md" }]]);
    expect(shelf("read Charts/North.md and Charts/South.md")).toEqual([
      ["batch_get_file_contents", { filepaths: ["Charts/North.md", "Charts/South.md"] }],
    ]);
  });
});

describe("several acts on one thing", () => {
  const desk = callsOf([
    toolNeeding(
      "create_ticket",
      "Create a ticket",
      {
        queue: { type: "string", pattern: "^[A-Z][A-Z0-9]+$", description: "Key of the queue (e.g. 'OPS', 'WEB')" },
        summary: text("Summary of the ticket"),
        parts: text("Names of parts (e.g. 'Frontend,API')"),
      },
      ["queue", "summary"],
    ),
    toolNeeding("assign_ticket", "Assign a ticket", {
      ticket_key: text("Ticket key, e.g. OPS-12"),
      assignee: text("Email or name of the user"),
    }),
    toolNeeding("add_comment", "Add a comment to a ticket", {
      ticket_key: text("Ticket key, e.g. OPS-12"),
      body: text("Text of the comment"),
    }),
    toolNeeding("create_board", "Create a board", { name: text("Name") }),
    toolNeeding("pin_note", "Pin a note on a board", { board_id: text("Board ID"), note: text("Text of the note") }),
  ]);

  test('a noun with a quotation after "and" is an act of its own', () => {
    expect(desk('Assign OPS-77 to tom@example.com and comment "please take a look"')).toEqual([
      ["assign_ticket", { ticket_key: "OPS-77", assignee: "tom@example.com" }],
      ["add_comment", { ticket_key: "OPS-77", body: "please take a look" }],
    ]);
  });

  test("a word of a quotation is no value of another argument", () => {
    expect(desk('Create a ticket "Rotate the API keys" in OPS')).toEqual([
      ["create_ticket", { queue: "OPS", summary: "Rotate the API keys" }],
    ]);
  });

  test("the name that was given to a thing is not its id", () => {
    expect(desk('Create the board Harvest and pin the note "Ripe on Friday" on the board Harvest')).toEqual([
      ["create_board", { name: "Harvest" }],
      ["pin_note", { board_id: "${create_board.id}", note: "Ripe on Friday" }],
    ]);
  });
});
