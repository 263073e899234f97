import { adaptPlan, type RememberedPlan } from "@planloom/embedded";
import type { JsonSchema, PlannerTaskInput, Resource } from "@planloom/plan";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../../support/cases.ts";

const clock = { now: "2026-11-23T10:00:00Z", timeZone: "UTC" };

function tool(id: string, properties: Record<string, JsonSchema>): Resource {
  return { kind: "tool", id, name: id, description: id, input_schema: { type: "object", properties } };
}
const text = { type: "string" } as const;
const tools = [
  tool("get_weather", { city: text, day: { type: "string", format: "date" }, unit: { ...text, default: "C" } }),
  tool("list_issues", { owner: text, repo: text, state: { enum: ["OPEN", "CLOSED"] }, limit: { type: "integer" } }),
  tool("search_issues", { query: text }),
  tool("send_mail", { to: text, body: text }),
  tool("convert", { amount: { type: "number" }, from: text, to: text }),
  tool("login", { user: text, password: text }),
];

function call(tool_id: string, args: Record<string, unknown>, more: PlannerTaskInput = {}): PlannerTaskInput {
  return { task_id: "t1", execution_type: "tool", tool_id, description: tool_id, arguments: args, ...more };
}

function remember(goal: string, ...tasks: PlannerTaskInput[]): RememberedPlan {
  return { id: "run-1", goal, tasks, madeAt: "2026-11-02T10:00:00Z", timeZone: "UTC" };
}

const weather = remember(
  "Show me the weather in Paris tomorrow",
  call("get_weather", { city: "Paris", day: "2026-11-03" }),
);
const issues = remember(
  "List the open issues of facebook/react, 5 at most",
  call("list_issues", { owner: "facebook", repo: "react", state: "OPEN", limit: 5 }),
);
const money = remember("Convert 100 USD to EUR", call("convert", { amount: 100, from: "USD", to: "EUR" }));

const argumentsOf = (remembered: RememberedPlan | readonly RememberedPlan[], goal: string) =>
  adaptPlan([remembered].flat(), goal, tools, clock)?.tasks.map(({ arguments: args }) => args);

describe("a goal that is alike gets the plan with its own values", () => {
  test.for<[name: string, plan: RememberedPlan, goal: string, expected: Record<string, unknown>]>([
    ["the same goal on another day", weather, weather.goal, { city: "Paris", day: "2026-11-24" }],
    [
      "another city and day",
      weather,
      "Show me the weather in New York on 2026-12-01",
      { city: "New York", day: "2026-12-01" },
    ],
    [
      "asked politely, as a question",
      weather,
      "Could you tell me the weather in Oslo tomorrow, please?",
      { city: "Oslo", day: "2026-11-24" },
    ],
    ["in another order", weather, "Tomorrow, what is the weather in Oslo?", { city: "Oslo", day: "2026-11-24" }],
    [
      "a part of an address, an enumeration, a number",
      issues,
      "List the closed issues of octo/web-site, 20 at most",
      { owner: "octo", repo: "web-site", state: "CLOSED", limit: 20 },
    ],
    ["what goes from and to is not mixed up", money, "Convert 7.5 CHF to USD", { amount: 7.5, from: "CHF", to: "USD" }],
    ["… in another order either", money, "To CHF, convert 20 EUR", { amount: 20, from: "EUR", to: "CHF" }],
  ])("%s", ([, plan, goal, expected]) => {
    expect(argumentsOf(plan, goal)).toEqual([expected]);
  });

  test("what is different is listed, and where it comes from", () => {
    const adapted = adaptPlan([money], "Convert 20 USD to CHF", tools, clock);
    expect(adapted).toMatchObject({ from: money, likeness: 1 });
    expect(adapted?.differences).toEqual([
      { task_id: "t1", argument: "amount", before: 100, now: 20 },
      { task_id: "t1", argument: "to", before: "EUR", now: "CHF" },
    ]);
  });

  test("texts that repeat a value, and references in them, are kept", () => {
    const plan = remember(
      "Show me the weather in Paris and mail it to bob@example.com",
      call("get_weather", { city: "Paris" }),
      call("send_mail", { to: "bob@example.com", body: "Paris: ${t1.text}" }, { task_id: "t2", dependencies: ["t1"] }),
    );
    expect(argumentsOf(plan, "Show me the weather in Rome and mail it to eve@example.org")).toEqual([
      { city: "Rome" },
      { to: "eve@example.org", body: "Rome: ${t1.text}" },
    ]);
  });

  test("a value of the new goal is never read as a reference", () => {
    const plan = remember(
      'Mail "hello" to bob@example.com',
      call("send_mail", { to: "bob@example.com", body: "hello" }),
    );
    expect(argumentsOf(plan, 'Mail "${secret.key}" to bob@example.com')).toEqual([
      { to: "bob@example.com", body: "$${secret.key}" },
    ]);
  });
});

describe("no plan where something else may be meant", () => {
  test.for<[name: string, plan: RememberedPlan, goal: string]>([
    ["another verb", weather, "Delete the weather in Paris tomorrow"],
    ["a word more", weather, "Show me the weather in Paris tomorrow and mail it to Bob"],
    ["a word less", issues, "List the issues of facebook/react, 5 at most"],
    ["a negation", issues, "Don't list the open issues of facebook/react, 5 at most"],
    ["another kind of value", weather, "Show me the weather in the whole world tomorrow"],
    ["no value that the enumeration has", issues, "List the stale issues of facebook/react, 5 at most"],
    ["another preposition", money, "Convert 100 USD by EUR"],
    [
      "my own",
      remember("List the issues of octo/web", call("list_issues", { owner: "octo", repo: "web" })),
      "List my issues of octo/web",
    ],
    ["values alone", remember("Paris", call("get_weather", { city: "Paris" })), "Goodbye"],
  ])("%s", ([, plan, goal]) => {
    expect(argumentsOf(plan, goal)).toBeUndefined();
  });

  test("a value that follows from another in a way that cannot be seen", () => {
    const plan = remember("Show me the weather in Paris", call("get_weather", { city: "Paris", unit: "FR" }));
    expect(argumentsOf(plan, "Show me the weather in Rome")).toBeUndefined();
    expect(argumentsOf(plan, "Show me the weather in Paris")).toEqual([{ city: "Paris", unit: "FR" }]);
  });

  test("a default of the schema follows from nothing", () => {
    const plan = remember("Show me the weather in Paris", call("get_weather", { city: "Paris", unit: "C" }));
    expect(argumentsOf(plan, "Show me the weather in Rome")).toEqual([{ city: "Rome", unit: "C" }]);
  });

  test("a day that no value is seen to follow from, once it is another day", () => {
    const plan = remember(
      "Show me the weather in Paris tomorrow",
      call("get_weather", { city: "Paris", day: "3.11.2026" }),
    );
    expect(argumentsOf(plan, plan.goal)).toBeUndefined();
    expect(adaptPlan([plan], plan.goal, tools, { now: plan.madeAt, timeZone: "UTC" })?.differences).toEqual([]);
  });

  test("one number that two arguments of a task hold, one of them perhaps by chance", () => {
    const plan = remember("Convert 5 USD to EUR", call("convert", { amount: 5, from: "USD", to: "EUR", digits: 5 }));
    expect(argumentsOf(plan, "Convert 7 USD to EUR")).toBeUndefined();
  });

  test("a tool that is not there any more, and a credential as text", () => {
    expect(adaptPlan([weather], weather.goal, tools.slice(1), clock)).toBeUndefined();
    const login = remember("Log in as anna with hunter22", call("login", { user: "anna", password: "hunter22" }));
    expect(argumentsOf(login, login.goal)).toBeUndefined();
  });

  test("two plans for goals that are as much alike", () => {
    const rome = remember("Show me the weather in Rome", call("search_issues", { query: "Rome" }));
    const paris = remember("Show me the weather in Paris", call("get_weather", { city: "Paris" }));
    expect(argumentsOf([rome, paris], "Show me the weather in Oslo")).toBeUndefined();
    expect(argumentsOf([paris], "Show me the weather in Oslo")).toEqual([{ city: "Oslo" }]);
    // The newest of the very same goal is the one that was accepted last.
    const again = remember(paris.goal, call("search_issues", { query: "Paris" }));
    expect(adaptPlan([again, paris], paris.goal, tools, clock)?.from).toBe(again);
  });
});

test("any goal: no throw, and only values that the goal says are new", () => {
  const word = fc.constantFrom(
    ...'show the weather in Paris Oslo tomorrow and mail 5 100 USD EUR to convert . , ${t1.x} " open'.split(" "),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 14 }), (words) => {
      const goal = words.join(" ");
      const adapted = adaptPlan([weather, issues, money], goal, tools, clock);
      for (const { now, before } of adapted?.differences ?? []) {
        expect(before).not.toEqual(now);
        if (typeof now === "number") expect(goal).toContain(String(now));
        else if (!/^\d{4}-/.test(String(now))) expect(goal.toLowerCase()).toContain(String(now).toLowerCase());
      }
    }),
    { numRuns: cases(500) },
  );
});

test("wrong options are refused", () => {
  expect(() => adaptPlan([], "x", [], { minLikeness: 0 })).toThrow(/above 0/);
});
