import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { flag, text, tool, toolNeeding, whole } from "../support/tool-records.ts";

const rowsOf = (properties: object) => ({ type: "array", items: { type: "object", properties } });
const reading = (resource: Resource): Resource => ({ ...resource, read_only: true });
const changing = (resource: Resource): Resource => ({ ...resource, read_only: false });

/** Without outputs, as servers describe their tools. */
const domes: readonly Resource[] = [
  reading(toolNeeding("list_runs", "List the runs of a dome", { dome_slug: text(), filter: text() }, ["dome_slug"])),
  reading(toolNeeding("get_run", "Get one run", { run_id: text() })),
  changing(
    toolNeeding(
      "close_dome",
      "Close a dome",
      { dome_id: text(), minutes: whole("Open again after so many minutes"), note: text("A note that explains why") },
      ["dome_id"],
    ),
  ),
  changing(toolNeeding("assign_run", "Assign a run to an observer", { run_id: text(), observer: text() })),
  changing(
    toolNeeding("add_remark", "Add a remark to a run", { dome_slug: text(), run_number: whole(), body: text() }),
  ),
  reading(toolNeeding("heat_of_room", "How warm a room is on a day", { room: text(), day: text() }, ["room"])),
];
/** With outputs, some of which are rows. */
const depots: readonly Resource[] = [
  reading(
    tool(
      "reports",
      "Reports of visitors",
      { district: text() },
      { reports: rowsOf({ report_id: text(), district: text() }) },
      [],
    ),
  ),
  reading(tool("report", "A single report", { report_id: text() }, { report_id: text(), state: text() })),
  reading(
    tool(
      "lockers",
      "Lockers of a hall",
      { hall: text(), state: { enum: ["free", "taken"] } },
      { lockers: rowsOf({ locker_id: text(), hall: text(), state: text() }) },
      [],
    ),
  ),
  changing(tool("set_locker", "Change a locker", { locker_id: text(), state: { enum: ["free", "taken"] } })),
  changing(tool("repaint", "Repaint a locker", { locker_id: text(), urgent: flag() }, undefined, ["locker_id"])),
  changing(tool("close_hall", "Close a hall", { hall: text() })),
];
const read = (goal: string, tools: readonly Resource[]) =>
  planGoal(goal, tools, { now: "2026-11-30", timeZone: "UTC" }).plan.planned_tasks.map((task) => [
    task.tool_id,
    task.arguments,
  ]);

test.for([
  ["List the runs in north-dome", "list_runs", { dome_slug: "north-dome" }],
  [
    "Close dome D-7 for 30 minutes because the wind is strong",
    "close_dome",
    { dome_id: "D-7", minutes: 30, note: "the wind is strong" },
  ],
  ["Assign run R-4 to Ada, no, Grace", "assign_run", { run_id: "R-4", observer: "Grace" }],
  ["Assign run R-4 to Ada Roth, sorry, Grace Lund", "assign_run", { run_id: "R-4", observer: "Grace Lund" }],
  ["Assign run R-4 to Grace, not Ada", "assign_run", { run_id: "R-4", observer: "Grace" }],
] as const)("a name with hyphens, a reason for a note, a name that is taken back: %s", ([goal, called, given]) => {
  expect(read(goal, domes)).toEqual([[called, given]]);
});

test("a sentence is the id of nothing", () => {
  expect(read("Add the remark 'see #442, cold mirror' to run 901 of lime-walk", domes)).toEqual([
    ["add_remark", { dome_slug: "lime-walk", run_number: 901, body: "see #442, cold mirror" }],
  ]);
  expect(read("Add the remark 'ok' to run 7 of north-dome", domes)).toEqual([
    ["add_remark", { dome_slug: "north-dome", run_number: 7, body: "ok" }],
  ]);
});

test("the code of a thing of which a tool takes ids narrows down no list by something else", () => {
  expect(read("What happened to report R-77?", depots)).toEqual([["report", { report_id: "R-77" }]]);
});

test.for([
  ["the lockers in hall 5 are out", /only says how things are/],
  ["free the lockers", /"free" may be something to do/],
] as const)("what asks for nothing that the plan does is said: %s", ([goal, said]) => {
  const { plan, unresolved } = planGoal(goal, depots, { now: "2026-11-30", timeZone: "UTC" });
  const isRefused = plan.planned_tasks.length === 0;
  expect(isRefused || unresolved.some(({ message }) => said.test(message))).toBe(true);
});

/** Tools that list rows beside tools that do not. */
const quays: readonly Resource[] = [
  reading(
    tool(
      "list_berths",
      "Berths of a quay",
      { quay: text(), status: { enum: ["free", "blocked"] } },
      { berths: rowsOf({ berth_id: text(), quay: text(), status: text() }) },
      [],
    ),
  ),
  reading(tool("get_berth", "One berth", { berth_id: text() }, { berth_id: text(), status: text(), boat_id: text() })),
  reading(
    tool(
      "find_boat",
      "Find a boat by its name",
      { name: text() },
      { boats: rowsOf({ boat_id: text(), name: text() }) },
      [],
    ),
  ),
  reading(
    tool(
      "waiting_list",
      "Boats that wait for a berth",
      { quay: text(), urgency: { enum: ["planned", "emergency"] } },
      { boats: rowsOf({ boat_id: text(), quay: text(), urgency: text() }) },
      [],
    ),
  ),
  changing(tool("give_berth", "Give a berth to a boat", { berth_id: text(), boat_id: text() })),
  changing(
    tool(
      "set_berth",
      "Change the status of a berth",
      { berth_id: text(), status: { enum: ["free", "blocked"] }, reason: text() },
      undefined,
      ["berth_id", "status"],
    ),
  ),
  changing(
    tool("order_crane", "Order a crane", { street: text(), number: text(), tons: whole() }, undefined, [
      "street",
      "number",
    ]),
  ),
  changing(tool("mail_owner", "Write a mail to an owner", { to: text(), subject: text(), body: text() })),
  changing(tool("book_slip", "Book a slip", { name: text(), day: { type: "string", format: "date" } })),
];

test.for([
  [
    "Block berth B-3 because the rail is broken",
    [["set_berth", { berth_id: "B-3", status: "blocked", reason: "the rail is broken" }]],
  ],
  [
    "If berth B-3 is free, give it to V-12",
    [
      ["get_berth", { berth_id: "B-3" }],
      ["give_berth", { berth_id: "${get_berth.berth_id}", boat_id: "V-12" }],
    ],
  ],
  [
    "How many emergency boats are waiting for a berth on quay 4D?",
    [["waiting_list", { quay: "4D", urgency: "emergency" }]],
  ],
  ["I need a crane at Elm Street 22b please", [["order_crane", { street: "Elm Street", number: "22b" }]]],
  ["Order a crane for 22 Elm Street", [["order_crane", { street: "Elm Street", number: "22" }]]],
  [
    'Mail ola@berg.example the subject "Your slip" and tell her "It is ready to be used."',
    [["mail_owner", { to: "ola@berg.example", subject: "Your slip", body: "It is ready to be used." }]],
  ],
  ["Book a slip on December 9, my name is Ola Berg", [["book_slip", { name: "Ola Berg", day: "2026-12-09" }]]],
] as const)("a plain sentence is heard as a whole: %s", ([goal, calls]) => {
  expect(read(goal, quays)).toEqual(calls);
});

const post: readonly Resource[] = [
  changing(toolNeeding("publish_post", "Publish a post", { headline: text(), body: text() })),
  changing(toolNeeding("send_letter", "Send a letter", { to: text(), body: text() })),
  reading(
    tool(
      "list_parcels",
      "List parcels",
      { state: { enum: ["open", "lost"] } },
      { parcels: rowsOf({ parcel_id: text(), state: text() }) },
      [],
    ),
  ),
  reading(
    toolNeeding(
      "search_files",
      "Search for files. Use '*.ext' for one folder and '**/*.ext' for all folders below it.",
      {
        path: text(),
        pattern: text(),
      },
    ),
  ),
];

test("a text ends where the name of the next argument begins", () => {
  expect(read("Publish a post with the headline Spring is here and the body We open on Sunday", post)).toEqual([
    ["publish_post", { headline: "Spring is here", body: "We open on Sunday" }],
  ]);
});

test("what lies under a folder is searched for in all folders below it", () => {
  const given = (goal: string) => read(goal, post)[0]?.[1];
  expect(given("Find all json files under /srv/app")).toEqual({ path: "/srv/app", pattern: "**/*.json" });
  expect(given("Find all json files in /srv/app")).toEqual({ path: "/srv/app", pattern: "*.json" });
});

test("things that a tool would read are not sent as words unnoticed", () => {
  const { plan, unresolved } = planGoal("Send ada@post.example the open parcels", post, {
    now: "2026-11-30",
    timeZone: "UTC",
  });
  const isMarked = unresolved.length > 0 && plan.planned_tasks.every(({ approval }) => approval === "required");
  expect(isMarked || plan.planned_tasks.some(({ tool_id }) => tool_id === "list_parcels")).toBe(true);
});

const berthing: readonly Resource[] = [
  changing(tool("assign_pilot", "Assign a ship to a pilot", { ship_id: text(), pilot_id: text() })),
  changing(tool("message_pilot", "Send a message to a pilot", { pilot_id: text(), text: text() })),
  changing(
    tool("new_notice", "Make a notice", {
      harbour: text(),
      langs: { type: "array", items: text(), description: "language codes" },
    }),
  ),
  reading(
    tool(
      "ships",
      "List ships",
      { state: { enum: ["moored", "gone"] }, pilot_id: text() },
      { ships: rowsOf({ ship_id: text(), state: text(), pilot_id: text() }) },
      [],
    ),
  ),
  reading(
    tool(
      "pilots",
      "Find pilots",
      { language: text("language code") },
      { pilots: rowsOf({ pilot_id: text(), language: text() }) },
      [],
    ),
  ),
];

test("of two ids the one behind the description's preposition is known by it, and what was given is given again", () => {
  expect(read("Assign S-118 to T-9 and tell her that the tide is late", berthing)).toEqual([
    ["assign_pilot", { ship_id: "S-118", pilot_id: "T-9" }],
    ["message_pilot", { pilot_id: "T-9", text: "the tide is late" }],
  ]);
});

test("languages are written as codes where the description asks for codes", () => {
  expect(read("Make a notice for Kiel in French and Polish", berthing)).toEqual([
    ["new_notice", { harbour: "Kiel", langs: ["fr", "pl"] }],
  ]);
});
