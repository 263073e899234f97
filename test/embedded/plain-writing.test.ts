import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { inPlainWriting } from "../../packages/embedded/src/language/clauses/plain-writing.ts";
import { readClock } from "../../packages/embedded/src/language/temporal/calendar.ts";
import { findDates } from "../../packages/embedded/src/language/temporal/find-dates.ts";
import { catalogue, tool } from "../bench/own-tools/catalogue.ts";
import { cpuTimer } from "../support/cpu-time.ts";

const { tools } = catalogue(
  "orchard",
  [
    tool("list_trees", "List trees", ["state:e(healthy|sick)", "row"], "trees[]: tree_id, state, row", true),
    tool("get_tree", "Get a tree", ["tree_id!"], "tree_id, state, row", true),
    tool("fell_tree", "Fell a tree", ["tree_id!", "reason"], undefined, false),
    tool("prune_tree", "Prune a tree", ["tree_id!"], undefined, false),
    tool("upgrade_picker", "Give a picker a better basket", ["name!", "basket:e(wicker|steel)!"], undefined, false),
    tool("sell_fruit", "Sell fruit", ["fruit!", "crates:i!", "buyer!"], undefined, false),
    tool("book_press", "Book the press", ["press!", "date:d!"], undefined, false),
    tool(
      "list_harvests",
      "List the harvests of a tree",
      ["tree_id!"],
      "harvests[]: harvest_id, tree_id, kilos:n",
      true,
    ),
  ],
  [],
);

const planOf = (goal: string, resources: readonly Resource[] = tools) =>
  planGoal(goal, resources, { now: "2026-11-29", timeZone: "UTC" });
const callsOf = (goal: string) =>
  planOf(goal).plan.planned_tasks.map(({ tool_id, arguments: given, for_each }) => [
    tool_id,
    given,
    ...(for_each == null ? [] : ["each"]),
  ]);

const felled = ["fell_tree", { tree_id: "T-7" }];
const pruned = ["prune_tree", { tree_id: "T-9" }];

describe("sentences in the passive voice are requests", () => {
  test.for([
    "tree T-7 should be felled",
    "Tree T-7 must be felled.",
    "tree T-7 needs to be felled",
    "I need tree T-7 felled",
    "I'd like tree T-7 to be felled",
    "please have tree T-7 felled",
    "would you mind felling tree T-7?",
    "would it be possible to fell tree T-7?",
    "make sure to fell tree T-7",
  ])("%s", (goal) => expect(callsOf(goal)).toEqual([felled]));

  test("also of each of a list", () =>
    expect(callsOf("all sick trees should be felled")).toEqual([
      ["list_trees", { state: "sick" }],
      ["fell_tree", { tree_id: expect.stringContaining("item") }, "each"],
    ]));

  test.for(["can tree T-7 be felled?", "tree T-7 should not be felled", "which trees should be felled?"])(
    "and these ask or refuse: %s",
    (goal) => expect(callsOf(goal)).not.toContainEqual(felled),
  );

  test("of what is listed, a participle with more behind it tells which", () =>
    expect(callsOf("I need the trees felled in row 3").map(([name]) => name)).not.toContain("fell_tree"));
});

describe("a thing that is named first is what the request is about", () => {
  test.for(["tree T-7: fell it", "tree T-7 - fell it", "about tree T-7: fell it", "don't prune tree T-7, fell it"])(
    "%s",
    (goal) => expect(callsOf(goal)).toEqual([felled]),
  );

  test.for(["for tree T-7, list the harvests", "For tree T-7, please list its harvests"])("as is a place: %s", (goal) =>
    expect(callsOf(goal)).toEqual([["list_harvests", { tree_id: "T-7" }]]),
  );

  test("and a row that is said first narrows what is listed", () =>
    expect(callsOf("in row North, list the sick trees")).toEqual([["list_trees", { state: "sick", row: "North" }]]));

  test("as is what belongs to it", () =>
    expect(callsOf("tree T-7: list its harvests")).toEqual([["list_harvests", { tree_id: "T-7" }]]));

  test("two requests stay two", () => expect(callsOf("fell T-7, prune T-9")).toEqual([felled, pruned]));
});

describe("lists", () => {
  test.for([
    "1. fell tree T-7\n2. prune tree T-9",
    "1) fell tree T-7 2) prune tree T-9",
    "Step 1: fell tree T-7. Step 2: prune tree T-9.",
    "fell tree T-7 & prune tree T-9",
    "fell tree T-7 + prune tree T-9",
  ])("of requests: %s", (goal) => expect(callsOf(goal)).toEqual([felled, pruned]));

  test.for([
    "fell trees 7, 8 and 9",
    "fell trees 7, 8, and 9",
    "fell trees:\n- 7\n- 8\n- 9",
    "fell trees 7, 8, also 9",
  ])("of numbers that are ids: %s", (goal) =>
    expect(callsOf(goal)).toEqual(["7", "8", "9"].map((tree_id) => ["fell_tree", { tree_id }])),
  );
});

describe("capitals make a name only where they are not those of every word", () => {
  test.for(["FELL TREE T-7", "Fell Tree T-7", "Please Fell the Tree T-7"])("%s", (goal) =>
    expect(callsOf(goal)).toEqual([felled]),
  );

  test.for(["Upgrade Ada Berg to steel", "UPGRADE ADA Berg TO STEEL", "Upgrade Picker Ada Berg to the Steel Basket"])(
    "%s",
    (goal) =>
      expect(callsOf(goal)).toEqual([
        ["upgrade_picker", { name: expect.stringMatching(/^ada berg$/i), basket: "steel" }],
      ]),
  );
});

describe("values", () => {
  test("a day with dots has its month in the middle", () =>
    expect(callsOf("book press PR-2 on 3.12.2026")).toEqual([["book_press", { press: "PR-2", date: "2026-12-03" }]]));

  test.for([
    ["sprinkle the orchard for 2.5 hours", { hours: 2.5 }],
    ["sprinkle the orchard for 3.0 hours", { hours: 3 }],
  ] as const)("so much of a time is no day: %s", ([goal, given]) => {
    const sprinkle = tool("sprinkle_orchard", "Sprinkle the orchard", ["hours:n!"], undefined, false);
    expect(planOf(goal, [sprinkle]).plan.planned_tasks[0]?.arguments).toEqual(given);
  });

  test("and none that is so long ago in decimals is so many days ago", () => {
    const [found] = findDates("since 2.5 days ago", readClock({ now: "2026-11-29", timeZone: "UTC" }));
    expect(found?.from?.day).not.toBe(24);
  });

  test.for(["'", '"', "`"])("a code in quotation marks is the code: %s", (mark) =>
    expect(callsOf(`fell tree ${mark}T-7${mark}`)).toEqual([felled]),
  );

  test.for([
    ["sell 12k crates of plums to Lind", 12_000],
    ["sell 12 crates of plums to Lind", 12],
  ] as const)("%s", ([goal, crates]) =>
    expect(callsOf(goal)).toEqual([["sell_fruit", { fruit: "plums", crates, buyer: "Lind" }]]),
  );

  const close = tool("close_gate", "Close a gate", ["gate!", "from:d!", "until:d!"], undefined, false);
  test("one end of a time is not the other", () => {
    const { plan, unresolved } = planOf("close gate G-4 until 2027-01-10", [close]);
    expect(plan.planned_tasks[0]?.arguments).toEqual({ gate: "G-4", until: "2027-01-10" });
    expect(unresolved).toContainEqual(expect.objectContaining({ reason: "missing_argument", text: "from" }));
  });

  test("for so many on a day, at a time", () => {
    const tables = tool("free_tables", "Free tables", ["guests:i!", "date:d!", "time!"], undefined, true);
    expect(planOf("free tables for 11 on Saturday at 19:00", [tables]).plan.planned_tasks[0]?.arguments).toEqual({
      ...{ guests: 11, date: "2026-12-05", time: "19:00" },
    });
  });

  test("blanks in a row are one", () =>
    expect(callsOf("sell  40  crates of plums to  Hof  Lind")).toEqual([
      ["sell_fruit", { fruit: "plums", crates: 40, buyer: "Hof Lind" }],
    ]));

  test("they are found again where they are in the goal as it was written", () => {
    const goal = "tree T-7 should be felled";
    const { provenance } = planOf(goal).plan.metadata as {
      provenance: Record<string, Record<string, { start: number }>>;
    };
    expect(provenance.fell_tree?.tree_id?.start).toBe(goal.indexOf("T-7"));
  });

  test.for<readonly [goal: string, ...starts: number[]]>([
    ["1. fell tree 1\n2. fell tree 2", 13, 28],
    ["tree 12 should be felled.  Fell  tree 1  too", 5, 38],
  ])("also what stands there twice: %s", ([goal, ...starts]) => {
    const { provenance = {} } = planOf(goal).plan.metadata as {
      provenance?: Record<string, Record<string, { start?: number }>>;
    };
    expect(Object.values(provenance).map(({ tree_id }) => tree_id?.start)).toEqual(starts);
  });
});

test.for(["‘", "“", "«", "'", '"', "`", "{", "a.b", "1. a ", ":\n", "I need a to ", "it should be "])(
  "what is written again and again takes no longer than its length: %j",
  (piece) => {
    const known = { verbs: new Set(["fell"]), knows: () => false };
    const goal = piece.repeat(Math.floor(4_000 / piece.length));
    const cpuMs = cpuTimer();
    inPlainWriting(goal, known);
    expect(cpuMs()).toBeLessThan(150);
  },
);
