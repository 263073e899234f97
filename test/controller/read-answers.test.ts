import { controllerPrompts, LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { JsonSchema, Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { describe, expect, test } from "vitest";

const text = { type: "string" } as const;
const tool = (
  id: string,
  description: string,
  takes: Readonly<Record<string, JsonSchema>>,
  gives?: Readonly<Record<string, JsonSchema>>,
): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties: takes, required: Object.keys(takes) },
  ...(gives !== undefined && { output_schema: { type: "object", properties: gives } }),
});
const task = (task_id: string, tool_id: string, words: string, given: object, more: object = {}) => ({
  task_id,
  for: words,
  tool_id,
  arguments: given,
  ...more,
});

async function planned(goal: string, resources: readonly Resource[], ...tasks: unknown[]) {
  const model = scriptedModel(Array.from({ length: 3 }, () => JSON.stringify({ tasks })));
  const planner = new Planner({ controller: new LlmController({ model }), resources });
  const { planned_tasks, metadata } = await planner.createPlan(goal);
  return {
    tasks: planned_tasks,
    said: ((metadata?.issues ?? []) as { message: string }[]).map((each) => each.message),
  };
}

describe("where every task waits, the request says which do", () => {
  const getPrice = tool("get_price", "Returns the price of a share.", { company: text });
  const mail = tool("send_mail", "Sends a mail.", { to: text });
  const call = tool("make_call", "Calls a number.", { to: text });
  const waits = { waits: true };

  test.for([
    { goal: "Then get the price of Acme, finally the price of Bolt", second: "the price of Bolt", of: getPrice },
    { goal: "Get the price of Acme. After that, get the price of Bolt", second: "get the price of Bolt", of: getPrice },
  ])("none of those that only look: $goal", async ({ goal, second, of }) => {
    const { tasks } = await planned(
      goal,
      [of],
      task("t1", "get_price", "the price of Acme", { company: "Acme" }, waits),
      task("t2", "get_price", second, { company: "Bolt" }, waits),
    );
    expect(tasks.map(({ dependencies }) => dependencies)).toEqual([[], []]);
  });

  test.for([
    { goal: "Mail Ada, then call Bob", first: "Mail Ada", second: "call Bob", waiting: ["t1"] },
    {
      goal: "Mail Ada and call Bob after sending the mail",
      first: "Mail Ada",
      second: "call Bob after sending",
      waiting: ["t1"],
    },
    { goal: "First mail Ada, and finally call Bob", first: "mail Ada", second: "call Bob", waiting: [] },
    { goal: "Mail Ada. Once that is done, call Bob", first: "Mail Ada", second: "call Bob", waiting: ["t1"] },
  ])("those that change something, where it names an order: $goal", async ({ goal, first, second, waiting }) => {
    const { tasks } = await planned(
      goal,
      [mail, call],
      task("t1", "send_mail", first, { to: "Ada" }, waits),
      task("t2", "make_call", second, { to: "Bob" }, waits),
    );
    expect(tasks.map(({ dependencies }) => dependencies)).toEqual([[], waiting]);
  });

  test("but the model says it where it tells tasks apart", async () => {
    const { tasks } = await planned(
      "Mail Ada and call Bob",
      [mail, call],
      task("t1", "send_mail", "Mail Ada", { to: "Ada" }),
      task("t2", "make_call", "call Bob", { to: "Bob" }, waits),
    );
    expect(tasks[1]?.dependencies).toEqual(["t1"]);
  });
});

describe("a value that the model made up is read from the call that gives it", () => {
  const swarm = tool(
    "start_swarm",
    "Starts robots.",
    { count: { type: "integer" } },
    {
      robot_ids: { type: "array", items: text },
      timber_volume: { type: "number" },
      translated_text: text,
    },
  );
  const goal = "Start 3 machines, command them, and send the translated text";

  test.for([
    {
      name: "by the name of the field",
      argument: "robots",
      schema: { type: "array", items: text },
      value: ["r1"],
      field: "robot_ids",
    },
    { name: "a number", argument: "volume", schema: { type: "number" }, value: 100_000, field: "timber_volume" },
    {
      name: "a text that the task's words name",
      argument: "message",
      schema: text,
      value: "¡Hola!",
      field: "translated_text",
    },
  ] as const)("$name", async ({ argument, schema, value, field }) => {
    const use = tool("use_it", "Uses it.", { [argument]: schema });
    const { tasks, said } = await planned(
      goal,
      [swarm, use],
      task("t1", "start_swarm", "Start 3 machines", { count: 3 }),
      task("t2", "use_it", "send the translated text", { [argument]: value }),
    );
    expect(tasks[1]).toMatchObject({ arguments: { [argument]: `\${t1.${field}}` }, dependencies: ["t1"] });
    expect(said).toMatchObject([expect.stringContaining(`\`${argument}\`, so that it is read from`)]);
  });

  test("but a value that the request says stays, and so does one that two calls give", async () => {
    const use = tool("use_it", "Uses it.", { message: text, volume: { type: "number" } });
    const { tasks } = await planned(
      "Start 3 machines, 4 more, and send hello",
      [swarm, use],
      task("t1", "start_swarm", "Start 3 machines", { count: 3 }),
      task("t2", "start_swarm", "4 more", { count: 4 }),
      task("t3", "use_it", "send hello", { message: "hello", volume: 999 }),
    );
    expect(tasks[2]?.arguments).toEqual({ message: "hello", volume: 999 });
  });
});

describe("what says which output is meant is read from it", () => {
  const status = tool("get_boat_status", "Tells where a boat is.", { boat: text }, { location: text, crew: text });
  const route = tool("plan_trip", "Plans a trip.", { from: text }, { trip_legs: { type: "array", items: text } });
  const sail = tool("sail_trip", "Sails a trip.", { legs: { type: "array", items: text } });
  const goal = "Check the status of the boat Nora, plan a trip to the pier, and sail the planned trip";
  const asked = (from: string, legs: unknown) =>
    planned(
      goal,
      [status, route, sail],
      task("t1", "get_boat_status", "Check the status of the boat Nora", { boat: "Nora" }),
      task("t2", "plan_trip", "plan a trip to the pier", { from }),
      task("t3", "sail_trip", "sail the planned trip", { legs }),
    );

  test.for(["boat's current location", "the location from the boat status", "current location of the boat"])(
    "a text that names the field and what gives it: %s",
    async (from) => {
      const { tasks, said } = await asked(from, "${t2.trip_legs}");
      expect(tasks[1]?.arguments).toEqual({ from: "${t1.location}" });
      expect(said.join()).toContain("`from`");
    },
  );

  test.for(["location", "Nora's location in the bay", "the status of the boat", "the pier"])(
    "another text stays: %s",
    async (from) => {
      const { tasks } = await asked(from, "${t2.trip_legs}");
      expect(tasks[1]?.arguments).toEqual({ from });
    },
  );

  test("a list that the request does not list is read from the list of that name", async () => {
    const { tasks } = await asked("${t1.location}", ["sail to the pier", "drop the anchor"]);
    expect(tasks[2]?.arguments).toEqual({ legs: "${t2.trip_legs}" });
  });

  test("one that has only words of the request stays", async () => {
    const { tasks } = await asked("${t1.location}", ["the pier", "Nora"]);
    expect(tasks[2]?.arguments).toEqual({ legs: ["the pier", "Nora"] });
  });
});

describe("a reference to a field that is not there", () => {
  const submit = tool("submit_paper", "Submits.", { title: text }, { paper_status: text, submission_link: text });
  const review = tool("review_paper", "Reviews.", { paper_link: text });
  const search = tool("search_reviews", "Searches.", { words: text }, { reviews: { type: "array" } });
  const judge = tool("judge", "Judges.", { text });
  const judgeOf = tool("judge_of", "Judges.", { review_id: text });

  test("reads the one field that ends in the same word", async () => {
    const { tasks } = await planned(
      "Submit the paper Looms and have it reviewed",
      [submit, review],
      task("t1", "submit_paper", "Submit the paper Looms", { title: "Looms" }),
      task("t2", "review_paper", "have it reviewed", { paper_link: "${t1.paper_link}" }),
    );
    expect(tasks[1]?.arguments).toEqual({ paper_link: "${t1.submission_link}" });
  });

  test("reads the only field, a list as its text where a text is to be read", async () => {
    const { tasks } = await planned(
      "Search reviews of Looms and judge them",
      [search, judge],
      task("t1", "search_reviews", "Search reviews of Looms", { words: "Looms" }),
      task("t2", "judge", "judge them", { text: "${t1.results}" }),
    );
    expect(tasks[1]?.arguments).toEqual({ text: { $text: "${t1.reviews}" } });
  });

  test("but no list is an id", async () => {
    const answer = planned(
      "Search reviews of Looms and judge them",
      [search, judgeOf],
      task("t1", "search_reviews", "Search reviews of Looms", { words: "Looms" }),
      task("t2", "judge_of", "judge them", { review_id: "${t1.results}" }),
    );
    await expect(answer).rejects.toMatchObject({
      code: "PLANNER_OPEN_QUESTIONS",
      details: { questions: [{ argument_path: "review_id" }] },
    });
  });
});

describe("a call in the place of a value is a task of its own", () => {
  const search = {
    ...tool("find_boats", "Finds boats.", { name: text }),
    output_schema: { type: "array", items: { type: "object", properties: { id: text } } },
  } as Resource;
  const reported = {
    ...tool("find_ship", "Finds ships.", { name: text }),
    output_schema: { description: "Array[Object{shipId, age}]" },
  } as Resource;
  const move = tool("move_boat", "Moves a boat.", { boat_id: text });
  const sail = tool("sail_ship", "Sails a ship.", { shipId: text });

  test.for([
    { written: "${find_boats('Nora')}", reads: "${t2[0].id}" },
    { written: '${find_boats(name="Nora")}', reads: "${t2[0].id}" },
    { written: "${find_boats(name: 'Nora')[0].id}", reads: "${t2[0].id}" },
  ])("$written", async ({ written, reads }) => {
    const { tasks, said } = await planned(
      "Move the boat Nora",
      [search, move],
      task("t1", "move_boat", "Move the boat Nora", { boat_id: written }),
    );
    expect(tasks).toMatchObject([
      { task_id: "t2", tool_id: "find_boats", arguments: { name: "Nora" } },
      { task_id: "t1", dependencies: ["t2"], arguments: { boat_id: reads } },
    ]);
    expect(said).toMatchObject([expect.stringContaining('a call of "find_boats"')]);
  });

  test("reads the field of that name where the output is described in words", async () => {
    const { tasks } = await planned(
      "Sail the ship Nora",
      [reported, sail],
      task("t1", "sail_ship", "Sail the ship Nora", { shipId: "${find_ship('Nora')}" }),
    );
    expect(tasks[1]?.arguments).toEqual({ shipId: "${t2.shipId}" });
  });
});

test("a bare call for the same words stays where it needs an id that the call before it may give, and only one of those", async () => {
  const bare = (id: string): Resource => ({
    kind: "tool",
    id,
    description: `${id}.`,
    input_schema: { type: "object", properties: {} },
  });
  const words = "the director of the most trending movie";
  const { tasks } = await planned(
    "Who is the director of the most trending movie",
    [
      bare("GET /trending"),
      bare("GET /movie/{movie_id}/credits"),
      bare("GET /movie/{movie_id}/keywords"),
      bare("GET /movie/latest"),
    ],
    task("t1", "GET /trending", words, {}),
    task("t2", "GET /movie/{movie_id}/credits", words, {}),
    task("t3", "GET /movie/{movie_id}/keywords", words, {}),
    task("t4", "GET /movie/latest", words, {}),
  );
  expect(tasks.map(({ tool_id }) => tool_id)).toEqual(["GET /trending", "GET /movie/{movie_id}/credits"]);
});

test("a bare call for the same words stays where the request names its tool, and only one of those", async () => {
  const bare = (id: string) => tool(id, "Helps.", {});
  const words = "Show me the ferries and a weather map, please";
  const { tasks, said } = await planned(
    words,
    [bare("ferryTool"), bare("weatherTool"), bare("tideTool"), bare("weather_alerts")],
    task("t1", "ferryTool", words, {}),
    task("t2", "weatherTool", words, {}),
    task("t3", "tideTool", words, {}),
    task("t4", "weather_alerts", words, {}),
  );
  expect(tasks.map(({ tool_id }) => tool_id)).toEqual(["ferryTool", "weatherTool"]);
  expect(said.filter((each) => each.includes("does not ask for"))).toHaveLength(2);
});

test("a bare call whose words are only its tool's name goes, though the request has a word of it", async () => {
  const { tasks } = await planned(
    "Find papers on tides and their summaries",
    [tool("paperFinder", "Finds.", {}), tool("summariseAnything", "Sums up.", {})],
    task("t1", "paperFinder", "papers on tides and their summaries", {}),
    task("t2", "summariseAnything", "Summarise anything", {}),
  );
  expect(tasks.map(({ tool_id }) => tool_id)).toEqual(["paperFinder"]);
});

test.for([
  { said: "inspections of this week", named: "This week: Monday 2026-03-02 to Sunday 2026-03-08." },
  { said: "What came in last week?", named: "Last week: Monday 2026-02-23 to Sunday 2026-03-01." },
  {
    said: "this week's and next week's visits",
    named: "This week: Monday 2026-03-02 to Sunday 2026-03-08. Next week: Monday 2026-03-09 to Sunday 2026-03-15.",
  },
  { said: "three weeks of leave", named: "" },
])("the days of a week that the request names are said: $said", ({ said, named }) => {
  const time = { now: "2026-03-07T23:30:00Z", time_zone: "Europe/Berlin" };
  // A day later in Berlin: Sunday, the last day of its week.
  expect(controllerPrompts.today(time, said)).toBe(
    `Now: Sunday, 2026-03-08 00:30 (Europe/Berlin).${named && ` ${named}`}`,
  );
});

test.for([
  { goal: "Ping the pier if it is open", isOffered: true },
  { goal: "Check if the pier is open. If yes, ping it", isOffered: true },
  { goal: "Check if the pier is open", isOffered: false },
  { goal: "I would appreciate it if you could ping the pier", isOffered: false },
  { goal: "Ping the pier, if possible", isOffered: false },
  { goal: "Ping the address that I provided", isOffered: false },
])("a condition is offered where the request has one: $goal", async ({ goal, isOffered }) => {
  const model = scriptedModel([JSON.stringify({ tasks: [task("t1", "ping", "Ping", {})] })]);
  await new Planner({ controller: new LlmController({ model }), resources: [tool("ping", "Pings.", {})] }).createPlan(
    goal,
  );
  expect(JSON.stringify(model.requests[0]!.schema).includes('"when"')).toBe(isOffered);
});

test("a condition that reads its own task was filled in, and is left out; others stay", async () => {
  const check = tool("check", "Checks.", { name: text }, { open: { type: "boolean" } });
  const { tasks, said } = await planned(
    "Check Nora, and check Ida if she is open",
    [check],
    task("t1", "check", "Check Nora", { name: "Nora" }, { when: "${t1.open} = true" }),
    task("t2", "check", "check Ida", { name: "Ida" }, { when: "${t1.open} = true" }),
  );
  expect(tasks[0]).not.toHaveProperty("when");
  expect(tasks[1]).toMatchObject({ when: { condition: "${t1.open} = true" }, dependencies: ["t1"] });
  expect(said).toEqual([]);
});

test("a switch that the words of another task speak of is left out", async () => {
  const shipments: Resource = {
    ...tool("list_shipments", "Lists shipments.", {}),
    input_schema: { type: "object", properties: { has_contaminants: { type: "boolean" } } },
  };
  const substances = tool("check_contaminants", "Checks.", {});
  const ask = (words: string) =>
    planned(
      `List ${words}, then check for contaminants`,
      [shipments, substances],
      task("t1", "list_shipments", words, { has_contaminants: true }),
      task("t2", "check_contaminants", "check for contaminants", {}),
    );
  expect((await ask("the shipments")).tasks[0]?.arguments).toEqual({});
  expect((await ask("the shipments with contaminants")).tasks[0]?.arguments).toEqual({ has_contaminants: true });
});

test("a switch that the request says once for several calls of one tool stays in each", async () => {
  const route: Resource = {
    ...tool("find_route", "Finds a route.", {}),
    input_schema: { type: "object", properties: { to: text, avoid_tolls: { type: "boolean" } }, required: ["to"] },
  };
  const { tasks } = await planned(
    "Find the routes to Bonn and to Kiel, both without tolls",
    [route],
    task("t1", "find_route", "the routes to Bonn", { to: "Bonn", avoid_tolls: true }),
    task("t2", "find_route", "to Kiel, both without tolls", { to: "Kiel", avoid_tolls: true }),
  );
  expect(tasks.map((each) => each.arguments)).toEqual([
    { to: "Bonn", avoid_tolls: true },
    { to: "Kiel", avoid_tolls: true },
  ]);
});

test("a value that the request does not say is not read from an output that another argument reads", async () => {
  const lyrics = tool("find_lyrics", "Finds lyrics.", { song: text }, { lyrics: text });
  const translate = tool("translate", "Translates.", { from: text, words: text });
  const { tasks } = await planned(
    "Find the lyrics of Help and translate the lyrics",
    [lyrics, translate],
    task("t1", "find_lyrics", "the lyrics of Help", { song: "Help" }),
    task("t2", "translate", "translate the lyrics", { from: "English", words: "${t1.lyrics}" }),
  );
  expect(tasks[1]?.arguments).toEqual({ from: "English", words: "${t1.lyrics}" });
});
