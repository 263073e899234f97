import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases, isFuzzing } from "../support/cases.ts";
import { faultsOf } from "./check-exact.ts";
import { type Form, forms, randomFrom, toTool, writeGoal } from "./exact-calls.ts";

const text = { type: "string" };
const invented: Resource[] = [
  toTool({
    name: "open_berths",
    description: "List berths of a marina.",
    inputSchema: {
      type: "object",
      properties: {
        marina: text,
        state: { type: "string", enum: ["free", "taken"] },
        max_count: { type: "integer", minimum: 1 },
        with_power: { type: "boolean" },
        tags: { type: "array", items: text },
      },
      required: ["marina"],
    },
  }),
  toTool({
    name: "log_entry",
    description: "Write an entry into the log of a boat.",
    inputSchema: {
      type: "object",
      properties: {
        boat: text,
        body: text,
        place: {
          type: "object",
          properties: {
            name: text,
            at: { type: "object", properties: { lat: { type: "number" }, lon: { type: "number" } } },
          },
        },
        crew: {
          type: "array",
          items: { type: "object", properties: { name: text, watch: { type: "integer" } }, required: ["name"] },
        },
        extra: { type: "object", additionalProperties: true },
      },
      required: ["boat", "body"],
    },
  }),
  toTool({
    name: "search",
    description: "Search charts.",
    inputSchema: { type: "object", properties: { query: text, limit: { type: "integer" } }, required: ["query"] },
  }),
  toTool({
    name: "harbour.tides",
    description: "Tides of a harbour.",
    inputSchema: { type: "object", properties: { "date.from": text, input_unit: { type: ["string", "null"] } } },
  }),
  toTool({ name: "List Locks", description: "List the locks of a canal." }),
  toTool({
    name: "GET /canals/{canal_id}/locks",
    description: "Locks.",
    inputSchema: { type: "object", properties: { canal_id: { type: "integer" } }, required: ["canal_id"] },
  }),
];

const callsOf = (goal: string, resources: readonly Resource[] = invented) => {
  const { plan, unresolved } = planGoal(goal, resources);
  return {
    calls: plan.planned_tasks.map(({ tool_id, arguments: args }) => [tool_id, args]),
    open: unresolved.map(({ reason, text: said }) => `${reason} ${said}`),
    by: plan.metadata?.planned_by,
  };
};

describe("a call that is written out by its exact name is planned as it is written", () => {
  test.for<[string, ...[tool: string, args: object][]]>([
    ["open_berths marina=Nordhafen state=free", ["open_berths", { marina: "Nordhafen", state: "free" }]],
    ["Call open_berths with marina Nordhafen and max_count 5.", ["open_berths", { marina: "Nordhafen", max_count: 5 }]],
    [
      "Please call open_berths with the following arguments: marina = Nordhafen, tags = quiet, deep",
      ["open_berths", { marina: "Nordhafen", tags: ["quiet", "deep"] }],
    ],
    ["open_berths marina: Alter Hafen, with_power: yes", ["open_berths", { marina: "Alter Hafen", with_power: true }]],
    ["open_berths --marina Nordhafen --with-power", ["open_berths", { marina: "Nordhafen", with_power: true }]],
    ['open_berths {"marina": "Nordhafen", "tags": ["a"]}', ["open_berths", { marina: "Nordhafen", tags: ["a"] }]],
    ["open_berths {marina: 'Nordhafen', max_count: '7',}", ["open_berths", { marina: "Nordhafen", max_count: 7 }]],
    ['open_berths("Nordhafen", free)', ["open_berths", { marina: "Nordhafen", state: "free" }]],
    ['log_entry(boat="Ida", body="first\\nsecond")', ["log_entry", { boat: "Ida", body: "first\nsecond" }]],
    [
      "log_entry boat=Ida body=left at 5 = early place.name=Kiel place.at.lat=54.3 crew[0].name=Bo crew[1].name=Al extra.depth=3",
      [
        "log_entry",
        {
          boat: "Ida",
          body: "left at 5 = early",
          place: { name: "Kiel", at: { lat: 54.3 } },
          crew: [{ name: "Bo" }, { name: "Al" }],
          extra: { depth: 3 },
        },
      ],
    ],
    ["`open_berths` marina='it's here'", ["open_berths", { marina: "it's here" }]],
    ["search query=reefs limit=3", ["search", { query: "reefs", limit: 3 }]],
    ["Run search with query reefs", ["search", { query: "reefs" }]],
    [
      "harbour.tides date.from=2026-11-22 input_unit=null",
      ["harbour.tides", { "date.from": "2026-11-22", input_unit: null }],
    ],
    ["List Locks()", ["List Locks", {}]],
    ["GET /canals/{canal_id}/locks canal_id=12", ["GET /canals/{canal_id}/locks", { canal_id: 12 }]],
    [
      "1. open_berths marina=A\n2. search query=b; search(query=c)",
      ["open_berths", { marina: "A" }],
      ["search", { query: "b" }],
      ["search", { query: "c" }],
    ],
    ["log_entry boat= body=x", ["log_entry", { boat: "", body: "x" }]],
    ["log_entry boat=Ida body=${secret}", ["log_entry", { boat: "Ida", body: "$${secret}" }]],
    [
      'log_entry {"boat": "Ida", "body": "x", "extra": {"y": "${secret}"}}',
      ["log_entry", { boat: "Ida", body: "x", extra: { y: "$${secret}" } }],
    ],
  ])("%s", ([goal, ...calls]) => {
    expect(callsOf(goal)).toEqual({ calls, open: [], by: ["exact calls"] });
  });

  test("what a tool does not take is named, and no other argument takes it", () => {
    expect(callsOf("open_berths marina=Nordhafen stat=free max_count=2")).toEqual({
      calls: [["open_berths", { marina: "Nordhafen", max_count: 2 }]],
      open: ["no_parameter stat=free"],
      by: ["exact calls"],
    });
  });

  test("what a schema forbids is left out and named, and so is what is missing", () => {
    expect(callsOf("open_berths max_count=0")).toMatchObject({
      calls: [["open_berths", {}]],
      open: ["no_parameter 0", "missing_argument marina"],
    });
  });

  test("then waits, and a sentence beside a call is read as one", () => {
    const { plan } = planGoal("open_berths marina=A then search query=b", invented);
    expect(plan.planned_tasks[1]?.dependencies).toEqual(["open_berths"]);
    const mixed = planGoal("open_berths marina=A, then search the charts for reefs", invented).plan;
    expect(mixed.planned_tasks.map(({ tool_id }) => tool_id)).toEqual(["open_berths", "search"]);
    expect(mixed.planned_tasks[1]?.dependencies).toEqual(["open_berths"]);
    expect(mixed.metadata?.planned_by).toEqual(["exact calls", "functions"]);
  });

  test("two tools of one name: the one that takes the arguments, else the doubt is said", () => {
    const inputSchema = (name: string): JsonSchema => ({ type: "object", properties: { [name]: text } });
    const both = [
      toTool({ name: "get", inputSchema: inputSchema("key") }, "a"),
      toTool({ name: "get", inputSchema: inputSchema("path") }, "b"),
    ];
    expect(callsOf("get path=x", both)).toMatchObject({ calls: [["b/get", { path: "x" }]], open: [] });
    expect(callsOf("a/get key=x", both)).toMatchObject({ calls: [["a/get", { key: "x" }]], open: [] });
    expect(callsOf("Call get()", both)).toMatchObject({ calls: [["a/get", {}]], open: ["several_resources get"] });
  });

  test("a plain word is a name only where it is called", () => {
    expect(callsOf("search for berths with power in Nordhafen").by).toEqual(["functions"]);
  });
});

describe("generated calls", () => {
  test.for(forms)("%s, over invented catalogues", (form) => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...invented), (seed, resource) => {
        const goal = writeGoal(invented, randomFrom(seed), resource, form);
        if (goal !== undefined)
          expect({ goal: goal.text, faults: faultsOf(goal, invented) }).toEqual({ goal: goal.text, faults: [] });
      }),
      { numRuns: cases(150) },
    );
  });

  test("any text plans without an error, and fast", () => {
    const piece = fc.constantFrom(
      "open_berths ",
      "marina",
      "=",
      ": ",
      '"',
      "'",
      "{",
      "}",
      "(",
      ")",
      "[",
      ",",
      " and ",
      " then ",
      ";",
      "\n",
      "--",
      "x y",
      "${",
      "\\",
      "search",
      ".",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        planGoal(pieces.join(""), invented);
      }),
      { numRuns: cases(500) },
    );
    const before = process.cpuUsage().user;
    for (const each of ['"', "search marina=", "open_berths(", "{[", " and then ", "open_berths marina=a\n"])
      planGoal(each.repeat(20_000 / each.length), invented);
    expect(process.cpuUsage().user - before).toBeLessThan(10_000_000);
  });
});

interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
}

const shared = join(import.meta.dirname, "../../../shared");
const hasData = existsSync(join(shared, "wild/catalogues.json")) && existsSync(join(shared, "planbench/data"));

/** A goal for every n-th tool of a catalogue, in turn in each form. */
function faultsIn(
  catalogue: readonly Listed[],
  seed: number,
  every: number,
  wanted: readonly Form[] | undefined,
): string[] {
  const resources = catalogue.map((tool) => toTool(tool));
  const random = randomFrom(seed);
  return resources
    .filter((_, at) => (at + seed) % every === 0)
    .flatMap((resource, at) =>
      (wanted ?? [forms[(at + seed) % forms.length]!]).map((form) => writeGoal(resources, random, resource, form)),
    )
    .flatMap((goal) =>
      goal === undefined ? [] : faultsOf(goal, resources).map((fault) => `${goal.text}\n  ${fault}`),
    );
}

describe.skipIf(!hasData)(
  "catalogues of real servers and of benchmarks, in ../shared/wild and ../shared/planbench",
  () => {
    // `pnpm bench:wild` plans a goal for every tool in every form.
    test("tools of every server, in every form", () => {
      const servers = JSON.parse(readFileSync(join(shared, "wild/catalogues.json"), "utf8")) as Record<
        string,
        { tools: Listed[] }
      >;
      expect(Object.values(servers).flatMap(({ tools }, at) => faultsIn(tools, at, isFuzzing ? 1 : 6, forms))).toEqual(
        [],
      );
    }, 60_000);

    const files: readonly string[] = hasData ? readdirSync(join(shared, "planbench/data")) : [];
    test.for(files)("every catalogue of %s", { timeout: 60_000 }, (file) => {
      const items = JSON.parse(gunzipSync(readFileSync(join(shared, "planbench/data", file))).toString()) as {
        tools: Listed[];
      }[];
      const catalogues = new Map(items.map(({ tools }) => [JSON.stringify(tools), tools]));
      expect(
        [...catalogues.values()].flatMap((tools, at) => faultsIn(tools, at, isFuzzing ? 8 : 40, undefined)),
      ).toEqual([]);
    });
  },
);

test("a semicolon at the end of a line belongs to no value", () => {
  const goal = "Call log_entry with boat Gull and body calm 7.5;\nCall search with query tides";
  expect(planGoal(goal, invented).plan.planned_tasks).toMatchObject([
    { arguments: { boat: "Gull", body: "calm 7.5" } },
    { arguments: { query: "tides" } },
  ]);
});
