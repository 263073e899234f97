import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { toolNeeding as tool } from "../support/tool-records.ts";

const text = { type: "string" };

const orchard = [
  tool("get_grafted_trees", "Get trees that were grafted", { since: text }),
  tool("tend_tree", "Grafts a twig onto a tree", { tree: text }),
  tool("list_ballots", "List ballots", { state: { type: "string", enum: ["open", "closed"] } }, []),
  tool("create_ballot", "Create a ballot", { title: text }),
  tool("end_ballot", "End a ballot", { title: text }),
  tool("read_messages", "Read the messages of a shed", { shed: text }),
  tool("post_message", "Post a message to a shed", { shed: text, text }),
  tool("hill_elevation", "Get the elevation of a hill", { hill: text }),
  tool("gardener_profile", "Get the profile of a user", { user_id: text }),
  tool("create_shelf", "Create a shelf with fields", { shelf: text, name: text }),
  tool("create_record", "Create a record on a shelf", { shelf: text, fields: { type: "object" } }),
  tool("list_records", "List the records of a shelf", { shelf: text }),
  tool("press_cider", "Press apples into cider", { apples: text }),
];
const wool = [
  tool("wool_tangle_unravelled", "Shows knots that are not yet unravelled", { path: text }),
  tool("wool_knot", "Unravels all tangled knots", { path: text }),
  tool("wool_dye", "Dyes a bale", { path: text, tint: text }),
];
const drawer = [
  tool("read_file", "Read the complete contents of a file", { path: text }),
  tool("shred_leaflet", "Cut up a leaflet, showing the strips", { path: text, width: text }),
  tool("list_directory", "List what a directory holds", { path: text }),
];

const pottery = [
  tool("list_kilns", "List kilns", {}),
  tool("list_glazes", "List glazes", {}),
  tool("search_glazes", "Search glazes by words", { query: text }),
  tool("download_glaze", "Download the recipe of a glaze", { glaze_id: text }),
  tool("add_to_roster", "Add a potter to the roster", { potter: text }),
  tool("drop_from_roster", "Drop a potter from the roster", { potter: text }),
  tool("create_firing", "Create a firing in a kiln", { kiln: text, degrees: { type: "number" } }),
];

const called = (goal: string, tools: readonly Resource[]) =>
  planGoal(goal, tools, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" }).plan.planned_tasks.map(
    ({ tool_id }) => tool_id,
  );

test.for<[goal: string, tools: readonly Resource[], ...called: string[]]>([
  // What was done is not what is to be done.
  ['Graft the tree "Old Bess"', orchard, "tend_tree"],
  ["Unravel everything in /srv/wool", wool, "wool_knot"],
  // What is new is made, whatever verb is said; what is open is listed.
  ['Open a ballot called "Tea or coffee"', orchard, "create_ballot"],
  ["List the open ballots", orchard, "list_ballots"],
  // Verbs that stand for one another.
  ['Close the ballot "Tea or coffee"', orchard, "end_ballot"],
  // Another person gets a message.
  ['Tell Anna in shed 4 "The kiln is hot"', orchard, "post_message"],
  // The measure and the thing that a question asks for.
  ["How high is Brocken?", orchard, "hill_elevation"],
  ["Who is U02ABCDEF?", orchard, "gardener_profile"],
  // A "record" is a thing where records are made.
  ["Add a record with Name = Anna to the shelf Seeds", orchard, "create_record"],
  // A verb with its particle is another verb, and verbs of one sort stand for one another.
  ["Take Anna off the roster", pottery, "drop_from_roster"],
  ["Put Anna on the roster", pottery, "add_to_roster"],
  ["find me glazes about copper", pottery, "search_glazes"],
  ["I don't need the kilns, only the glazes", pottery, "list_glazes"],
  // Where no word is a tool's, the act alone may decide.
  ["shred /home/anna/plan.txt", [...drawer, tool("burn_paper", "Shred a paper", { path: text })], "burn_paper"],
  [
    "kill run_8Xk2",
    [tool("cancel_job", "Cancel a job", { job: text }), tool("list_jobs", "List jobs", {})],
    "cancel_job",
  ],
  // What only says where is no request.
  ["For the kiln K7 set up a firing of 900 degrees", pottery, "create_firing"],
  // A coordinated object takes over the verb.
  ["Show me the kilns and the glazes", pottery, "list_kilns", "list_glazes"],
  // What a value is.
  ["Show me the contents of /home/anna/plan.txt", drawer, "read_file"],
])("%s", ([goal, tools, ...right]) => {
  expect(called(goal, tools)).toEqual(right);
});

const desk = [
  tool("put_sheet", "Create or overwrite a sheet in the binder", { path: text, content: text }),
  tool("read_sheet", "Read a sheet of the binder", { path: text }),
  tool("tide_table", "Get the tide at a harbour", { harbour: text }),
  tool("stamp_sheet", "Stamp a sheet of the binder", { path: text, stamp: text }),
];

test.for<[goal: string, source: string, given: Record<string, unknown>, place: string]>([
  ["Save the tide at Husum to /binder/tide.txt", "tide_table", { harbour: "Husum" }, "/binder/tide.txt"],
  ["Copy /binder/a.txt to /binder/b.txt", "read_sheet", { path: "/binder/a.txt" }, "/binder/b.txt"],
])("%s: what is written is read first", ([goal, source, given, place]) => {
  const tasks = planGoal(goal, desk, { now: "2026-11-22T10:00:00Z", timeZone: "UTC" }).plan.planned_tasks;
  expect(tasks.map(({ tool_id, arguments: own }) => [tool_id, own])).toEqual([
    [source, given],
    ["put_sheet", { path: place, content: `\${${source}}` }],
  ]);
  expect(tasks[1]?.dependencies).toEqual([source]);
});

test.for<[goal: string, tools: readonly Resource[]]>([
  // Nothing there deletes, sends or pushes, though a file is taken by some.
  ["Push /home/anna/shop to origin", drawer],
  ["Email /home/anna/plan.txt to Bob", drawer],
])("%s: nothing does it", ([goal, tools]) => {
  expect(called(goal, tools)).toEqual([]);
});
