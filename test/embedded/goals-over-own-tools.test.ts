import { planGoal } from "@planloom/embedded";
import { type Resource, validatePlan } from "@planloom/plan";
import { describe, expect, test } from "vitest";

const text = { type: "string" };
const number = { type: "number" };
const flag = { type: "boolean" };
const day = { type: "string", format: "date" };
const oneOf = (...values: string[]) => ({ type: "string", enum: values });
const reads = (id: string, description: string, properties: object, required: string[], output: object): Resource => ({
  ...{ kind: "tool", id, description, read_only: true, output_schema: { type: "object", properties: output } },
  input_schema: { type: "object", properties, required },
});
const changes = (id: string, description: string, properties: object): Resource => ({
  ...{ kind: "tool", id, description, read_only: false },
  input_schema: { type: "object", properties, required: Object.keys(properties) },
});
const rows = (name: string, properties: object) => ({
  [name]: { type: "array", items: { type: "object", properties } },
});

/** As somebody writes them for a first try, each with few tools, some of which list rows. */
const players = [
  reads("list_players", "Players of a section", { section: text }, ["section"], {
    ...rows("players", { player_id: text, name: text }),
  }),
  reads("rehearsals_of", "Rehearsals of a player", { player_id: text }, ["player_id"], {
    ...rows("rehearsals", { rehearsal_id: text, starts_at: text }),
  }),
  reads("marks", "Marks of a player", { player_id: text, subject: text, term: text }, ["player_id"], {
    ...rows("marks", { subject: text, mark: number }),
  }),
  reads("player_lookup", "Find a player by name", { name: text }, ["name"], { player_id: text, name: text }),
  reads("list_rehearsals", "List rehearsals", { day, hall: text, sort: oneOf("full", "strings") }, [], {
    ...rows("rehearsals", { rehearsal_id: text, hall: text, sort: text, starts_at: text }),
  }),
  changes("cancel_rehearsal", "Cancel a rehearsal", { rehearsal_id: text }),
  changes("write_to_player", "Write to a player", { player_id: text, message: text }),
  changes("message_parents", "Write to the parents of a player", { player_id: text, message: text }),
  changes("set_seat", "Change the seat of a player", { player_id: text, seat: oneOf("leading", "second", "last") }),
];
const store = [
  reads("instruments", "All instruments", { state: oneOf("stored", "lost", "lent"), hall: text, tag: text }, [], {
    ...rows("instruments", { instrument_id: text, state: text, hall: text, tag: text }),
  }),
  reads("keeper_by_name", "Find a keeper", { name: text }, ["name"], { keeper_id: text, name: text }),
  changes("assign_keeper", "Give an instrument to a keeper", { instrument_id: text, keeper_id: text }),
  changes("report_case", "Report a case of an instrument", { instrument_id: text, kind: oneOf("lost", "broken") }),
  changes("merge_scores", "Merge one score into another", { source_id: text, target_id: text }),
  reads("get_score", "Read a score", { score_id: text }, ["score_id"], { score_id: text, title: text }),
  reads("list_gauges", "List gauges", { hall: text, kind: oneOf("humidity", "temperature") }, [], {
    ...rows("gauges", { gauge_id: text, hall: text, kind: text }),
  }),
  reads("read_gauge", "Read the current value of a gauge", { gauge_id: text }, ["gauge_id"], { value: number }),
  changes("tune_stage", "Tune a stage", { stage: text, pitch: oneOf("low", "high") }),
  changes("book_crate", "Book a crate for an instrument", { crate_id: text, instrument_id: text }),
  changes("feed_resin", "Feed resin to an instrument", { instrument_id: text, resin: text, amount_mg: number }),
];
const office = [
  reads("list_concerts", "List concerts", { hall: text, season: text }, [], {
    ...rows("concerts", { concert_id: text, hall: text, season: text }),
  }),
  reads("get_concert", "Get a concert", { concert_id: text }, ["concert_id"], {
    ...{ concert_id: text, hall: text, conductor_id: text },
  }),
  reads("conductor", "Contact details of a conductor", { conductor_id: text }, ["conductor_id"], {
    ...{ name: text, phone: text },
  }),
  reads("piece", "Details of a piece", { title: text }, ["title"], { title: text, composer: text, minutes: number }),
  changes("fetch_stand", "Have a stand fetched", { address: text, date: day }),
  changes("refer_pupil", "Refer a pupil to a teacher", { pupil_id: text, branch: text }),
  changes("add_remark", "Add a remark to a pupil", { pupil_id: text, remark: text }),
  changes("release_part", "Release a version of a part", { part: text, version: text, hall: oneOf("north", "south") }),
];

const planOf = (goal: string, tools: readonly Resource[]) => {
  const { plan } = planGoal(goal, tools, { now: "2026-11-29", timeZone: "UTC" });
  expect(validatePlan(plan, tools).filter(({ severity }) => severity === "error")).toEqual([]);
  return plan.planned_tasks.map(({ tool_id, arguments: given, for_each }) =>
    for_each === undefined ? [tool_id, given] : [tool_id, given, for_each.items],
  );
};

describe("all of something, by a tool that takes one", () => {
  test.for<readonly [string, readonly Resource[], readonly unknown[]]>([
    [
      "Cancel all rehearsals of P-3",
      players,
      [
        ["rehearsals_of", { player_id: "P-3" }],
        ["cancel_rehearsal", { rehearsal_id: "${item.rehearsal_id}" }, "${rehearsals_of.rehearsals}"],
      ],
    ],
    [
      "Write to every player in 5a: bring your stands",
      players,
      [
        ["list_players", { section: "5a" }],
        [
          "write_to_player",
          { player_id: "${item.player_id}", message: "bring your stands" },
          "${list_players.players}",
        ],
      ],
    ],
    [
      "Read all humidity gauges",
      store,
      [
        ["list_gauges", { kind: "humidity" }],
        ["read_gauge", { gauge_id: "${item.gauge_id}" }, "${list_gauges.gauges}"],
      ],
    ],
    [
      "Report a case for every lost instrument",
      store,
      [
        ["instruments", { state: "lost" }],
        ["report_case", { instrument_id: "${item.instrument_id}", kind: "lost" }, "${instruments.instruments}"],
      ],
    ],
  ])("%s", ([goal, tools, calls]) => {
    expect(planOf(goal, tools)).toEqual(calls);
  });

  test("what no list narrows is done once at most, and waits for an approval", () => {
    const { plan, unresolved } = planGoal("Tune every silent stage to low", store);
    expect(unresolved.map(({ reason }) => reason)).toContain("first_only");
    expect(plan.planned_tasks.map(({ approval }) => approval)).toEqual(["required"]);
  });
});

const singles: readonly (readonly [goal: string, tools: readonly Resource[], tool: string, given: object])[] = [
  // Plain words behind the verb.
  ["Tune thunder to low", store, "tune_stage", { stage: "thunder", pitch: "low" }],
  // A verb that the description has, and not the name.
  ["Give instrument V-8 to keeper K-2", store, "assign_keeper", { instrument_id: "V-8", keeper_id: "K-2" }],
  ["Merge score 31 into score 30", store, "merge_scores", { source_id: "31", target_id: "30" }],
  ["Raise player P-9 to leading", players, "set_seat", { player_id: "P-9", seat: "leading" }],
  ["Feed 400 mg amber to V-7", store, "feed_resin", { instrument_id: "V-7", resin: "amber", amount_mg: 400 }],
  ["Refer P-9 to percussion", office, "refer_pupil", { pupil_id: "P-9", branch: "percussion" }],
  ["Remark on P-7: prefers the harp", office, "add_remark", { pupil_id: "P-7", remark: "prefers the harp" }],
  ["Release harp 2.4.1 to north", office, "release_part", { part: "harp", version: "2.4.1", hall: "north" }],
  [
    "Fetch a stand at 5 Main Street on 2026-12-02",
    office,
    "fetch_stand",
    { address: "5 Main Street", date: "2026-12-02" },
  ],
  ["Fetch a stand at Hafenstr. 5 on 2026-12-02", office, "fetch_stand", { address: "Hafenstr. 5", date: "2026-12-02" }],
  [
    "Tell the parents of P-9 that the concert is cancelled",
    players,
    "message_parents",
    { player_id: "P-9", message: "the concert is cancelled" },
  ],
  ["List the instruments tagged 2019", store, "instruments", { tag: "2019" }],
  // What takes place on a day lies ahead.
  ["Rehearsals in hall B2 on Friday", players, "list_rehearsals", { day: "2026-12-04", hall: "B2" }],
  // No word of these questions is a tool's.
  ["Who composed Orfeo?", office, "piece", { title: "Orfeo" }],
  ["How long is Orfeo?", office, "piece", { title: "Orfeo" }],
];

test.for(singles)("%s", ([goal, tools, tool, given]) => {
  expect(planOf(goal, tools)).toEqual([[tool, given]]);
});

test("a person is found by the name, which is no text that need not be given", () => {
  expect(planOf("Show the marks of Lena Vogt", players)).toEqual([
    ["player_lookup", { name: "Lena Vogt" }],
    ["marks", { player_id: "${player_lookup.player_id}" }],
  ]);
});

test("who belongs to a thing is read by the id that the thing has", () => {
  expect(planOf("Who is the conductor of concert C-8?", office)).toEqual([
    ["get_concert", { concert_id: "C-8" }],
    ["conductor", { conductor_id: "${get_concert.conductor_id}" }],
  ]);
});

test("nothing is changed where no word says so, or another word does", () => {
  expect(planOf("Pitch of instrument V-4", store).map(([tool]) => tool)).not.toContain("book_crate");
  const { plan, unresolved } = planGoal("Delete score 5", store);
  expect(plan.planned_tasks).toEqual([]);
  expect(unresolved.map(({ reason }) => reason)).toEqual(["no_resource"]);
});

describe("two requests in one goal are read as each is alone, whichever planner reads it", () => {
  const small = (goal: string) => goal[0]!.toLowerCase() + goal.slice(1);
  const asked = singles.filter(([goal]) => !/^(?:Who|How)/.test(goal));
  const pairs = asked.flatMap((first) =>
    asked
      .filter((second) => second[1] === first[1] && second[2] !== first[2])
      .map((second) => [first, second] as const),
  );

  test.for([
    ["A, then B", (first: string, second: string) => `${first.replace(/\?$/, "")}, then ${small(second)}`],
    ["A. B.", (first: string, second: string) => `${first.replace(/[.?]?$/, ".")} ${second.replace(/[.?]?$/, ".")}`],
    ["A and B on lines", (first: string, second: string) => `${first}\n${second}`],
  ] as const)("%s", ([, said]) => {
    const lost = pairs.flatMap(([first, second]) => {
      const goal = said(first[0], second[0]);
      const calls = planOf(goal, first[1]).map(([tool, given]) => JSON.stringify([tool, given]));
      const expected = [first, second].map(([, , tool, given]) => JSON.stringify([tool, given]));
      return calls.toSorted().join() === expected.toSorted().join() ? [] : [[goal, ...calls]];
    });
    expect(lost).toEqual([]);
  });

  test("what points back goes on with the one before it", () => {
    expect(planOf("Find the player Lena Vogt, then show her marks", players).map(([tool]) => tool)).toEqual([
      "player_lookup",
      "marks",
    ]);
  });
});

test.for([
  ["Cancle all rehearsals of P-3", ["rehearsals_of", "cancel_rehearsal"]],
  ["Cancel all reherasals of P-3", ["rehearsals_of", "cancel_rehearsal"]],
  ["Report a case for every lost insturment", ["instruments", "report_case"]],
  ["Report a case for every lsot instrument", ["instruments", "report_case"]],
] as const)("a slip of the pen changes nothing: %s", ([goal, tools]) => {
  expect(planOf(goal, goal.startsWith("Report") ? store : players).map(([tool]) => tool)).toEqual(tools);
});

test("a tool of a server is read by its own name, whichever field has the server's", () => {
  const served = players.map((each): Resource => ({ ...each, name: `mcp__orchestra__${each.id}` }));
  expect(planOf("Cancel all rehearsals of P-3", served)).toEqual(planOf("Cancel all rehearsals of P-3", players));
});

describe("chains over rows that are called otherwise than their tool", () => {
  const hall = [
    reads("programme", "The programme of a day", { date: day, sponsor: text, destination: text }, [], {
      ...rows("recitals", { recital_id: text, sponsor: text, destination: text, date: day }),
    }),
    reads("seatings", "Seatings of a day", { date: day, guest_name: text }, ["date"], {
      ...rows("seatings", { seating_id: text, guest_name: text, date: day }),
    }),
    changes("cancel_seating", "Cancel a seating", { seating_id: text }),
    changes("announce", "Make an announcement", { text }),
    {
      ...changes("book_box", "Book a box", { box_id: text, guest_name: text, date: day }),
      input_schema: {
        type: "object",
        properties: { box_id: text, guest_name: text, date: day, time: text },
        required: ["box_id", "guest_name", "date"],
      },
    },
    {
      ...changes("order_goods", "Order goods", {}),
      input_schema: {
        type: "object",
        properties: { item: text, kg: number, supplier: text },
        required: ["item", "kg"],
      },
    },
    reads("pieces", "List pieces", { composer: text, state: oneOf("draft", "final") }, [], {
      ...rows("pieces", { piece_id: text, composer: text, state: text }),
    }),
    changes("assign_composer", "Assign a piece to a composer", { piece_id: text, composer: text }),
  ];
  const plans = (goal: string) => planOf(goal, hall);

  test("rows", () => {
    expect(plans("Which recitals are there on 2026-12-01?")).toEqual([["programme", { date: "2026-12-01" }]]);
  });

  test("the day by which a thing is found", () => {
    expect(plans("Cancel the seating of Olsen on 2026-12-03")).toEqual([
      ["seatings", { guest_name: "Olsen", date: "2026-12-03" }],
      ["cancel_seating", { seating_id: "${seatings.seatings[0].seating_id}" }],
    ]);
  });

  test("a day and a time of day for two arguments", () => {
    expect(plans("Book box B-3 for Olsen on 2026-12-05 at 20:00")).toEqual([
      ["book_box", { box_id: "B-3", guest_name: "Olsen", date: "2026-12-05", time: "20:00" }],
    ]);
  });

  test("from whom it comes", () => {
    expect(plans("Order 12 kg of rosin from Molen")).toEqual([
      ["order_goods", { item: "rosin", kg: 12, supplier: "Molen" }],
    ]);
  });

  test("what is announced", () => {
    expect(plans("Announce that the hall is closed")).toEqual([["announce", { text: "the hall is closed" }]]);
  });

  test("whose pieces they are", () => {
    expect(plans("Assign piece 5 to Mina Okoye, then list her pieces")).toEqual([
      ["assign_composer", { piece_id: "5", composer: "Mina Okoye" }],
      ["pieces", { composer: "Mina Okoye" }],
    ]);
  });
});

describe("something is done with each of a list, however it is said", () => {
  const forms: readonly ((verb: string, one: string, many: string) => string)[] = [
    (verb, _, many) => `${verb} all ${many}`,
    (verb, one) => `${verb} every ${one}`,
    (verb, one) => `${verb} each ${one}`,
    (verb, _, many) => `list all ${many} and ${verb} each of them`,
    (verb, _, many) => `list the ${many}, then ${verb} them`,
    (verb, _, many) => `list the ${many}, then ${verb} each one`,
    (verb, one) => `for each ${one} ${verb} it`,
  ];
  const narrowed: typeof forms = [
    (verb, _, many) => `${verb} all humid ${many}`,
    (verb, one) => `${verb} every humid ${one}`,
    (verb, _, many) => `${verb} the ${many} that are humid`,
    (verb, _, many) => `list the humid ${many} and ${verb} them`,
    (verb, one) => `for each humid ${one} ${verb} it`,
  ];
  const cellar = [
    reads("cabinets", "All cabinets", { state: oneOf("humid", "archived", "dry") }, [], {
      ...rows("cabinets", { cabinet_id: text, state: text }),
    }),
    changes("archive_cabinet", "Archive a cabinet", { cabinet_id: text }),
    changes("dry_cabinet", "Dry a cabinet", { cabinet_id: text }),
    changes("paint_wall", "Paint a wall", { wall: text }),
  ];

  test.for([
    ["archive", "archive_cabinet"],
    ["dry", "dry_cabinet"],
  ] as const)("%s", ([verb, tool]) => {
    for (const [said, given] of [
      [forms, {}],
      [narrowed, { state: "humid" }],
    ] as const)
      for (const form of said) {
        const goal = form(verb, "cabinet", "cabinets");
        // The verb is no state of what it is done with: those that are archived are not archived again.
        expect([goal, ...planOf(goal, cellar)]).toEqual([
          goal,
          ["cabinets", given],
          [tool, { cabinet_id: "${item.cabinet_id}" }, "${cabinets.cabinets}"],
        ]);
      }
  });
});

describe("what belongs to a thing, however it is asked for", () => {
  const archive = [
    reads("search_readers", "Search readers", { name: text }, ["name"], {
      ...rows("readers", { reader_id: text, name: text }),
    }),
    reads("list_loans", "List loans", { reader_id: text, state: oneOf("open", "late") }, [], {
      ...rows("loans", { loan_id: text, reader_id: text, state: text }),
    }),
    reads("fines", "Fines of a loan", { loan_id: text }, ["loan_id"], { ...rows("fines", { fine_id: text }) }),
    changes("cancel_loan", "Cancel a loan", { loan_id: text }),
    changes("publish_reader", "Publish a reader", { reader_id: text }),
  ];

  test.for([
    "Loans of reader R-71",
    "List the loans of reader R-71",
    "Which loans does reader R-71 have?",
    "Does reader R-71 have any loans?",
    "Show reader R-71's loans",
    "Are there any loans of reader R-71?",
    "How many loans does reader R-71 have?",
  ])("%s", (goal) => {
    expect(planOf(goal, archive)).toEqual([["list_loans", { reader_id: "R-71" }]]);
  });

  test.for(["Loans of Mina Okoye", "Does Mina Okoye have any loans?", "Find the reader Mina Okoye and list the loans"])(
    "%s",
    (goal) => {
      expect(planOf(goal, archive)).toEqual([
        ["search_readers", { name: "Mina Okoye" }],
        ["list_loans", { reader_id: "${search_readers.readers[0].reader_id}" }],
      ]);
    },
  );

  test("of each of several, where they are only read", () => {
    expect(planOf("List the late loans and their fines", archive)).toEqual([
      ["list_loans", { state: "late" }],
      ["fines", { loan_id: "${item.loan_id}" }, "${list_loans.loans}"],
    ]);
  });

  test.for(["Loan L-71", "Reader R-71", "loan L-71: list its fines"])("%s changes nothing", (goal) => {
    const { plan } = planGoal(goal, archive);
    expect(plan.planned_tasks.map(({ tool_id }) => tool_id)).not.toContain("cancel_loan");
    expect(plan.planned_tasks.map(({ tool_id }) => tool_id)).not.toContain("publish_reader");
  });
});

describe("a switch that is on where something is left out", () => {
  const depot = [
    reads("vehicles", "List vehicles of the fleet", { status: oneOf("available", "maintenance") }, [], {
      ...rows("vehicles", { vehicle_id: text, status: text }),
    }),
    reads("route", "Compute the route between two places", { origin: text, destination: text, avoid_tolls: flag }, [], {
      km: number,
    }),
  ];

  test.for<[string, boolean]>([
    ["route from Bremen to Kiel without tolls and vehicles in maintenance", true],
    ["vehicles in maintenance and route from Bremen to Kiel without tolls", true],
    ["route from Bremen to Kiel avoiding tolls and vehicles in maintenance", true],
    ["route from Bremen to Kiel with tolls and vehicles in maintenance", false],
  ])("%s", ([goal, avoids]) => {
    const { plan } = planGoal(goal, depot);
    expect(plan.planned_tasks.find(({ tool_id }) => tool_id === "route")?.arguments).toEqual({
      ...{ origin: "Bremen", destination: "Kiel", avoid_tolls: avoids },
    });
  });
});

describe("when something is done says nothing of what it is done with", () => {
  const desk = [
    reads("list_claims", "List claims", { state: oneOf("open", "denied"), after: day }, [], {
      ...rows("claims", { claim_id: text, state: text, filed: day }),
    }),
    changes("approve_claim", "Approve a claim", { claim_id: text }),
    changes("restart_press", "Restart a press", { press: text, hall: oneOf("north", "south") }),
  ];
  const planned = (goal: string) => {
    const { plan } = planGoal(goal, desk, { now: "2026-11-29", timeZone: "UTC" });
    return plan.planned_tasks.map(({ tool_id, arguments: given, wait }) =>
      wait === undefined ? [tool_id, given] : wait,
    );
  };

  test.for(["Approve every open claim in two hours", "In two hours, approve every open claim"])("%s", (goal) => {
    expect(planned(goal)).toEqual([
      { for_ms: 7_200_000 },
      ["list_claims", { state: "open" }],
      ["approve_claim", { claim_id: "${item.claim_id}" }],
    ]);
  });

  test.for(["Restart thunder in north in two hours", "In two hours, restart thunder in north"])("%s", (goal) => {
    expect(planned(goal)).toEqual([{ for_ms: 7_200_000 }, ["restart_press", { press: "thunder", hall: "north" }]]);
  });

  test.for(["asap", "as soon as possible", "right away", "immediately"])("%s", (manner) => {
    expect(planned(`Approve claim C-7 ${manner}`)).toEqual([["approve_claim", { claim_id: "C-7" }]]);
  });
});
