import { planGoal } from "@planloom/embedded";
import { describe, expect, test } from "vitest";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-29T09:00:00Z", timeZone: "UTC" };
const output = { type: "object", properties: { content: { type: "string" } }, required: ["content"] };
const withOutput = (tool: ReturnType<typeof toolNeeding>) => ({ ...tool, output_schema: output });

/** An archive of files, as servers of file systems declare themselves; and one of the notes that somebody keeps. */
const archive = [
  withOutput(toolNeeding("read_file", "Read the complete contents of a file as text", { path: text("") })),
  withOutput(
    toolNeeding("write_file", "Create a new file or overwrite an existing file", { path: text(""), content: text("") }),
  ),
  withOutput(toolNeeding("create_directory", "Create a new directory", { path: text("") })),
  withOutput(toolNeeding("list_directory", "Get a listing of all files and directories in a path", { path: text("") })),
  withOutput(
    toolNeeding("search_files", "Search for files that match a pattern", {
      path: text(""),
      pattern: text("A glob pattern such as **/*.ext"),
    }),
  ),
  withOutput(toolNeeding("get_file_info", "Retrieve the size and times of a file", { path: text("") })),
  toolNeeding("vcs_make_line", "Creates a new line of work", { line_name: text("Name of the line") }),
  toolNeeding("vcs_checkout", "Goes to another line of work", { line_name: text("Name of the line to go to") }),
  toolNeeding("read_notebook", "Read the whole notebook", {}),
  {
    ...toolNeeding("delete_topics", "Delete topics of the notebook", {
      topicNames: { type: "array", items: { type: "string" } },
    }),
    destructive: true,
  },
];
const calls = (goal: string) => callsOf(goal, archive, options);

describe("what lies in a folder is listed", () => {
  test.each([
    "What files are in /srv/plans?",
    "List the files in /srv/plans",
    "Show me the files of /srv/plans",
    "What is in /srv/plans?",
  ])("%s", (goal) => expect(calls(goal)).toEqual([["list_directory", { path: "/srv/plans" }]]));

  test("a file is read, also one without an extension", () => {
    expect(calls("Read the file /etc/hosts")).toEqual([["read_file", { path: "/etc/hosts" }]]);
  });

  test.each([
    ["Find all txt files in /srv/plans", "*.txt"],
    ["Search for *.md files in /srv/plans", "*.md"],
  ])("%s", (goal, pattern) => expect(calls(goal)).toEqual([["search_files", { path: "/srv/plans", pattern }]]));
});

test("the folder that is said once holds for each file", () => {
  expect(calls("Read a.txt and b.txt in /srv/plans")).toEqual([
    ["read_file", { path: "/srv/plans/a.txt" }],
    ["read_file", { path: "/srv/plans/b.txt" }],
  ]);
});

test("one call for every file is an open point", () => {
  const { plan, unresolved } = planGoal("Read every file in /srv/plans", archive, options);
  expect(plan.planned_tasks).toHaveLength(1);
  expect(unresolved).toContainEqual(expect.objectContaining({ reason: "first_only", text: "every file" }));
  expect(planGoal("Read the file /srv/plans/a.txt", archive, options).unresolved).toEqual([]);
});

test("a text in quotation marks is written, not what making a folder answered", () => {
  expect(calls('Make a folder /srv/docs and write "hello" into /srv/docs/a.md')).toEqual([
    ["create_directory", { path: "/srv/docs" }],
    ["write_file", { path: "/srv/docs/a.md", content: "hello" }],
  ]);
});

test("a verb and its particle mean the tool that has them as one word", () => {
  expect(calls("Check out the line harvest")).toEqual([["vcs_checkout", { line_name: "harvest" }]]);
  expect(calls("Make the line harvest-1 and then check it out")).toEqual([
    ["vcs_make_line", { line_name: "harvest-1" }],
    ["vcs_checkout", { line_name: "harvest-1" }],
  ]);
});

describe("nothing else is deleted", () => {
  test.each(["Delete /srv/plans/a.txt", "Delete the order 2"])("%s", (goal) => {
    const rows = {
      type: "object",
      properties: { topics: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } } },
    };
    const tools = archive.map((tool) => (tool.id.endsWith("read_notebook") ? { ...tool, output_schema: rows } : tool));
    expect(callsOf(goal, tools, options)).toEqual([]);
  });
  test("what is named is", () => {
    expect(calls("Delete the topic Herons")).toEqual([["delete_topics", { topicNames: ["Herons"] }]]);
  });
});

describe("what was read is written", () => {
  const clock = {
    ...toolNeeding("get_current_time", "Get the current time", { zone: text("") }),
    output_schema: {
      type: "object",
      properties: { timezone: { type: "string" }, datetime: { type: "string" }, day: { type: "string" } },
    },
  };
  test("its content is that of the file, and nothing else is read for it", () => {
    expect(calls("Read /srv/a.txt and write its content to /srv/b.txt")).toEqual([
      ["read_file", { path: "/srv/a.txt" }],
      ["write_file", { path: "/srv/b.txt", content: "${read_file.content}" }],
    ]);
  });
  test("of several fields the one that is called after what was asked for", () => {
    const [, write] = callsOf(
      "Get the current time in the zone UTC and write it to /srv/now.txt",
      [...archive, clock],
      options,
    );
    expect(write).toEqual(["write_file", { path: "/srv/now.txt", content: "${get_current_time.datetime}" }]);
  });
});
