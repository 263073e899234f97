import { describe, expect, test } from "vitest";
import { text, toolNeeding as tool } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const orchard = [
  tool(
    "inspect_tree",
    "Inspect a tree in a plot",
    { treeId: text(), plot: text("Plot where it grows"), tags: { type: "array", items: text() } },
    ["plot"],
  ),
  tool(
    "prune_plant",
    "Prune plants of the orchard",
    { plantType: text("Kind of plant to prune (e.g. tree, shrub)"), plantName: text(), cuts: { type: "integer" } },
    ["plantType", "plantName"],
  ),
  tool("rename_pest", "Give a pest another name", { name: text(), new_name: text() }, ["name", "new_name"]),
  tool(
    "add_creatures",
    "Add creatures to the chronicle",
    {
      creatures: {
        type: "array",
        items: {
          type: "object",
          properties: { name: text(), creatureType: text(), remarks: { type: "array", items: text() } },
          required: ["name", "creatureType"],
        },
      },
    },
    ["creatures"],
  ),
];

describe("a noun right before a value tells what it is", () => {
  test("a word that no tool mentions, beside the name of an argument", () => {
    expect(callsOf("Inspect a tree in the plot north with the tag sour", orchard)).toEqual([
      ["inspect_tree", { plot: "north", tags: ["sour"] }],
    ]);
  });

  test("a list is taken whole", () => {
    expect(callsOf("Inspect a tree in the plot north with the tags Sour, Old and Tall", orchard)).toEqual([
      ["inspect_tree", { plot: "north", tags: ["Sour", "Old", "Tall"] }],
    ]);
  });

  test("the kind of a thing goes before its name, and is none", () => {
    expect(callsOf("Prune the shrub daisy with 3 cuts", orchard)).toEqual([
      ["prune_plant", { plantType: "shrub", plantName: "daisy", cuts: 3 }],
    ]);
  });

  test("a tool's own noun names what `name` holds", () => {
    expect(callsOf("Rename the pest mildew to blight", orchard)).toEqual([
      ["rename_pest", { name: "mildew", new_name: "blight" }],
    ]);
  });

  test("`type` is what is called a type, not what the type is of", () => {
    expect(callsOf('Add the creature Otto of type badger with the remark "digs at night"', orchard)).toEqual([
      ["add_creatures", { creatures: [{ name: "Otto", creatureType: "badger", remarks: ["digs at night"] }] }],
    ]);
  });

  test("words that only tell of the noun are no values", () => {
    expect(callsOf("Inspect a tree in the plot north by the tag identified before", orchard)).toEqual([
      ["inspect_tree", { plot: "north" }],
    ]);
  });
});

test('a value after "is"', () => {
  expect(callsOf('Inspect a tree. Its plot is "42-b" and the tree id is "991827364"', orchard)).toEqual([
    ["inspect_tree", { treeId: "991827364", plot: "42-b" }],
  ]);
});

test("words and names are no ids", () => {
  const desk = [
    tool(
      "close_case",
      "Close a case of the court",
      { cases: { type: "array", items: { type: "object", properties: { case_id: text(), case_name: text() } } } },
      ["cases"],
    ),
  ];
  expect(callsOf('Close the case "Bread and roses"', desk)).toEqual([
    ["close_case", { cases: [{ case_name: "Bread and roses" }] }],
  ]);
});

describe("an owner and what is owned, in one word", () => {
  const forge = [
    tool(
      "show_scroll",
      "Show a scroll of a repository",
      {
        owner: text("Whose repository it is"),
        repo: text("Name of the repository"),
        path: text("Path to the scroll"),
        branch: text(),
      },
      ["owner", "repo", "path"],
    ),
  ];
  test.for([
    ["Show the scroll a.md of acme/site.js on the summer branch", "acme", "site.js"],
    ["Show the scroll a.md of iron-guild/web-forge on the summer branch", "iron-guild", "web-forge"],
  ])("%s", ([goal = "", owner, repo]) => {
    expect(callsOf(goal, forge)).toEqual([["show_scroll", { owner, repo, path: "a.md", branch: "summer" }]]);
  });
});
