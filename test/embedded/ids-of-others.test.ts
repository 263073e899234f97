import { describe, expect, test } from "vitest";
import { flag, text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const options = { now: "2026-11-28T09:00:00Z", timeZone: "UTC" };

describe("an id of one thing is none of another", () => {
  const orchard = [
    toolNeeding("get_tree", "Get detailed information about a specific tree", { tree_id: text("The tree ID") }),
    toolNeeding("get_trees_for_plot", "Get all trees of a plot", { plot_id: text("The plot ID to get trees for") }),
    toolNeeding("list_plots_in_estate", "List all plots of an estate", {
      estate_id: text("ID of the estate to list plots from"),
    }),
    toolNeeding("get_plot_keepers", "Get the members who keep a plot", { plot_id: text("ID of the plot") }),
    toolNeeding("get_plot_maps", "Get the maps of a plot", { plot_id: text("ID of the plot") }),
    toolNeeding("delete_label", "Delete a label from a plot", { label_id: text("ID of the label to delete") }),
    toolNeeding("move_tree", "Move a tree to a plot", {
      tree_id: text("ID of the tree to move"),
      plot_id: text("ID of the target plot"),
    }),
  ];
  const calls = (goal: string) => callsOf(goal, orchard, options);

  test("the tool that takes the id of such a thing is called, not one that takes that of what it lies in", () => {
    expect(calls("Show me the details of tree 1204567890123456")).toEqual([
      ["get_tree", { tree_id: "1204567890123456" }],
    ]);
    expect(calls("Who is on plot 4eea4ffc91e31d1746000046?")).toEqual([
      ["get_plot_keepers", { plot_id: "4eea4ffc91e31d1746000046" }],
    ]);
  });

  test("nothing else is deleted where no tool deletes such a thing", () => {
    expect(calls("Delete the plot 4eea4ffc91e31d1746000046")).toEqual([]);
    expect(calls("Delete the label 4eea4ffc91e31d1746000046")).toEqual([
      ["delete_label", { label_id: "4eea4ffc91e31d1746000046" }],
    ]);
  });

  test("a name is no id of what is to be changed", () => {
    const yard = orchard.filter(({ id }) => id === "move_tree" || id === "delete_label");
    expect(callsOf("Move the tree to North", yard, options)).toEqual([["move_tree", {}]]);
  });
});

describe("what is written in two parts", () => {
  const mill = [
    toolNeeding("approve_sack", "Approve a sack", {
      workspace: text("Name of the workspace"),
      repo_slug: text("Repository slug"),
      sack_id: text("Sack id"),
    }),
  ];

  test("the parts go to the two arguments, and the sign before a number to none", () => {
    expect(callsOf("Approve sack #42 in acme/flour", mill, options)).toEqual([
      ["approve_sack", { workspace: "acme", repo_slug: "flour", sack_id: "42" }],
    ]);
  });
});

describe("values that descriptions offer", () => {
  const cellar = [
    toolNeeding("list_racks", "List all racks of a cellar", {
      cellar_id: text(
        'The cellar to look into. Use the id that open_cellar returned, or "configured" to use the cellar the server was configured with.',
      ),
    }),
    toolNeeding("open_cellar", "Open a cellar and get its id", { address: text("Address of the cellar") }),
  ];

  test("what is there anyway is used where the goal names nothing else", () => {
    expect(callsOf("Which racks do we have?", cellar, options)).toEqual([["list_racks", { cellar_id: "configured" }]]);
  });

  test("an example for something special is no such value", () => {
    const other = [toolNeeding("list_racks", "List all racks", { side: text('Side, or "north" for the cold wall') })];
    expect(callsOf("Which racks do we have?", other, options)).toEqual([["list_racks", {}]]);
  });
});

describe("switches, texts and days", () => {
  const desk = [
    toolNeeding(
      "update_chore",
      "Update a chore",
      {
        chore_id: text("The chore ID"),
        name: text("New name of the chore"),
        completed: flag("Whether it is completed"),
        completed_on: text("ISO 8601 date"),
      },
      ["chore_id"],
    ),
    toolNeeding(
      "create_remark",
      "Add a remark to a chore",
      { chore_id: text("The chore ID"), html_text: text("The remark as HTML"), text: text("The remark") },
      ["chore_id"],
    ),
    toolNeeding(
      "add_chore",
      "Add a chore",
      {
        name: text("Name of the chore"),
        due_date: text("When it is due (ISO 8601 format)"),
        start: text("Start date (YYYY-MM-DD)"),
        state: { type: "string", enum: ["OPEN", "RESOLVED"], description: "Initial state" },
      },
      ["name"],
    ),
  ];
  const calls = (goal: string) => callsOf(goal, desk, options);

  test("what is marked as done is completed and not called so", () => {
    expect(calls("Mark chore 120456 as done")).toEqual([["update_chore", { chore_id: "120456", completed: true }]]);
  });

  test("a text goes to the argument for plain text, unless its form is spoken of", () => {
    expect(calls("Add a remark to chore 120456 saying the pump was replaced")).toEqual([
      ["create_remark", { chore_id: "120456", text: "the pump was replaced" }],
    ]);
  });

  test("a day that is due is written as the description asks, beside a day that begins", () => {
    expect(calls('Add a chore "Oil the gate", due on December 1st')).toEqual([
      ["add_chore", { name: "Oil the gate", due_date: "2026-12-01" }],
    ]);
  });
});

describe("objects that filter", () => {
  const archive = [
    toolNeeding(
      "find_letters",
      "Find letters in a box",
      { box: text("Name of the box"), filter: { type: "object", description: "The filter" } },
      ["box"],
    ),
  ];

  test("what the things have is a condition", () => {
    expect(callsOf('Find letters with sender "Ida" and year 1919 in the box attic', archive, options)).toEqual([
      ["find_letters", { box: "attic", filter: { sender: "Ida", year: 1919 } }],
    ]);
  });
});
