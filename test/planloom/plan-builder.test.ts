import fc from "fast-check";
import {
  defineAgent,
  defineLlm,
  definePlan,
  defineTool,
  defineWorkflow,
  PlanError,
  Planloom,
  renderAscii,
} from "planloom";
import { diffPlans, formatPlan, parsePlanText, planHashes, validatePlan } from "planloom/plan";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const authors = defineTool({
  id: "authors",
  description: "Authors of a country",
  readOnly: true,
  input: z.object({ country: z.string() }),
  output: z.array(z.object({ id: z.number(), name: z.string(), open: z.boolean() })),
  execute: ({ country }) => [1, 2, 3].map((id) => ({ id, name: `${country}-${id}`, open: id !== 2 })),
});
const books = defineTool({
  id: "library/books",
  description: "Books of an author",
  readOnly: true,
  input: z.object({ author_id: z.number(), note: z.string().optional() }),
  output: z.object({ author: z.number(), titles: z.array(z.string()) }),
  execute: ({ author_id }) => ({ author: author_id, titles: [`first of ${author_id}`, `second of ${author_id}`] }),
});
const digest = defineTool({
  id: "digest",
  description: "A text of texts",
  readOnly: true,
  input: z.object({ texts: z.array(z.string()), title: z.string().default("Digest") }),
  execute: ({ texts, title }) => ({ text: `${title}: ${texts.join(", ")}` }),
});
const tools = [authors, books, digest];
const toolResources = tools.map(({ resource }) => resource);

/** What of a task is not a default. */
function said(plan: { readonly planned_tasks: readonly object[] }) {
  return plan.planned_tasks.map((task) => {
    const entries = Object.entries(task).filter(
      ([key, value]) =>
        !/time|main_task_id|status|output|mark_replan/.test(key) &&
        value !== null &&
        value !== "" &&
        JSON.stringify(value) !== "{}" &&
        JSON.stringify(value) !== "[]",
    );
    return Object.fromEntries(entries);
  });
}

const catalogue = () =>
  definePlan({ tools }, (t) => {
    const found = t.call(authors, { country: "IS" });
    return t.each(found.items(), (one) => t.call(books, { author_id: one.id }));
  });

describe("a plan that is defined in TypeScript", () => {
  test("is an ordinary plan: a list is one task, its references are those of the record", () => {
    expect(said(catalogue())).toEqual([
      { task_id: "authors", execution_type: "tool", tool_id: "authors", arguments: { country: "IS" } },
      {
        task_id: "books",
        execution_type: "tool",
        tool_id: "library/books",
        arguments: { author_id: "${item.id}" },
        for_each: { items: "${authors}" },
      },
    ]);
    expect(catalogue().outputs).toEqual({ result: "books" });
  });

  test("runs, and `output_data` has what it returns", async () => {
    const { end_reason, output_data } = await new Planloom({ tools }).run(catalogue());
    expect(end_reason).toBe("completed");
    expect(Object.keys(output_data)).toEqual(["result"]);
    expect(output_data.result?.map(({ author, titles }) => [author, titles.length])).toEqual([
      [1, 2],
      [2, 2],
      [3, 2],
    ]);
  });

  test("prints, validates, is read back and differs from nothing", () => {
    const plan = catalogue();
    expect(renderAscii(plan)).toContain("books");
    expect(validatePlan(plan, toolResources)).toEqual([]);
    const read = parsePlanText(formatPlan(plan));
    expect(read).toEqual(plan);
    expect(diffPlans(plan, catalogue())).toEqual(diffPlans(plan, plan));
    expect(planHashes(plan)).toEqual(planHashes(catalogue()));
    expect(catalogue().task_id).toBe(plan.task_id);
    expect(plan.task_id).toMatch(/^plan-[0-9a-f]{12}$/);
  });

  test("tasks of an element may be several, lists may be within lists, and hold conditions", async () => {
    const plan = definePlan({ tools, title: "Nested" }, (t) => {
      const found = t.call("authors", { country: "IS" }, { retry: { max_attempts: 2 }, timeout_ms: 5_000 });
      const perAuthor = t.each(
        found,
        (one) => {
          const theirs = t.call(books, { author_id: one.id }, { when: t.expression`${one.open}` });
          const titles = t.each(t.present(theirs).titles, (title) =>
            t.call(digest, { texts: [title, t.text`by ${one.name}`], title: t.text`${one.name}` }),
          );
          return t.call(digest, { texts: titles.items().text, title: one.name });
        },
        { concurrency: 2, on_failure: "collect" },
      );
      return { perAuthor };
    });
    expect(said(plan)[1]).toMatchObject({
      task_id: "each_authors",
      for_each: {
        items: "${authors}",
        concurrency: 2,
        on_failure: "collect",
        result: "digest_2",
        tasks: [
          { task_id: "books", when: { condition: "${item.open}" }, arguments: { author_id: "${item.id}" } },
          {
            task_id: "digest",
            for_each: { items: "${books.titles}", as: "item_2" },
            arguments: { texts: ["${item_2}", "by ${item.name}"], title: { $text: "${item.name}" } },
          },
          { task_id: "digest_2", arguments: { texts: "${digest.*.text}", title: "${item.name}" } },
        ],
      },
    });
    const { output_data } = await new Planloom({ tools }).run(plan);
    expect(output_data.perAuthor).toEqual([
      { text: "IS-1: IS-1: first of 1, by IS-1, IS-1: second of 1, by IS-1" },
      null,
      { text: "IS-3: IS-3: first of 3, by IS-3, IS-3: second of 3, by IS-3" },
    ]);
  });
});

test("tasks that others depend on are results too, under as many names as one likes, and nothing else is", async () => {
  const plan = definePlan({ tools }, (t) => {
    const found = t.call(authors, { country: "IS" });
    const listed = t.call(digest, { texts: found.items().name });
    t.call(digest, { texts: [listed.text] }, { id: "unsaid" });
    return { found, listed, again: listed };
  });
  expect(plan.outputs).toEqual({ found: "authors", listed: "digest", again: "digest" });
  expect(validatePlan(plan, toolResources)).toEqual([]);
  const { output_data } = await new Planloom({ tools }).run(plan);
  const text = { text: "Digest: IS-1, IS-2, IS-3" };
  expect(output_data).toEqual({ found: authors.execute({ country: "IS" }, {} as never), listed: text, again: text });
});

test("arguments are computed from outputs, where no reference can say them", async () => {
  const plan = definePlan({ tools, variables: { town: "Vik" } }, (t) => {
    const found = t.call(authors, { country: "IS" });
    const open = t.expression`${found}[open]`;
    return t.call(
      digest,
      t.computed`{ "texts": ${open}.name, "title": ${t.variables.town} & ${" ${x} has "} & $count(${open}) & ${":"} }`,
    );
  });
  expect(said(plan)[1]).toMatchObject({
    arguments: { v1: "${authors}", v2: "${town}" },
    convertor_code: '{ "texts": ($$.v1[open]).name, "title": $$.v2 & " ${x} has " & $count(($$.v1[open])) & ":" }',
  });
  expect(validatePlan(plan, toolResources)).toEqual([]);
  const { output_data } = await new Planloom({ tools }).run(plan);
  expect(output_data).toEqual({ result: { text: "Vik ${x} has 2:: IS-1, IS-3" } });
});

test("arguments are computed for each element of a list", async () => {
  const plan = definePlan({ tools }, (t) =>
    t.each([1, 2], (id) => t.call(books, t.computed`{ "author_id": ${id} * 10 }`)),
  );
  const { output_data } = await new Planloom({ tools }).run(plan);
  expect(output_data.result?.map(({ author }) => author)).toEqual([10, 20]);
});

test("agents, models and workflows are called as tools are", async () => {
  const critic = defineAgent({
    id: "team/critic",
    description: "Reads texts",
    schema: z.object({ text: z.string() }),
    output: z.object({ mark: z.number() }),
    send: ({ text }) => ({ success: true, data: { mark: String(text).length } }),
  });
  const model = { generate: async () => ({ text: "Fine", finishReason: "stop" as const }) };
  const writer = defineLlm({ id: "writer", description: "Writes", model: model as never });
  const inner = definePlan({ tools }, (t) => t.call(digest, { texts: [t.text`${t.input<{ word: string }>().word}`] }));
  const shorten = defineWorkflow({
    id: "shorten",
    description: "Shortens",
    plan: inner,
    input: z.object({ word: z.string() }),
    outputSchema: z.object({ text: z.string() }),
  });
  const parts = { agents: [critic], llms: [writer], workflows: [shorten] };
  const plan = definePlan(parts, (t) => {
    const written = t.call(writer, { prompt: "Say something" });
    const shortened = t.call("shorten", { word: written.text });
    return { marked: t.call(critic, { text: shortened.text }) };
  });
  const run = await new Planloom({ tools, ...parts }).run(plan);
  expect(run).toMatchObject({ end_reason: "completed", output_data: { marked: { mark: "Digest: Fine".length } } });
});

test("branches of a decision, and what joins them", async () => {
  const define = (limit: number) =>
    definePlan({ tools, variables: { limit } }, (t) => {
      const found = t.call(authors, { country: "IS" });
      const route = t.choose(
        { few: t.expression`$count(${found}) < ${t.variables.limit}`, many: t.expression`$count(${found}) > ${100}` },
        { else: "some", id: "route" },
      );
      const few = t.call(digest, { texts: found.items().name, title: "Few" }, { when: route.few, id: "few" });
      const some = t.call(digest, { texts: found.items().name, title: "Some" }, { when: route.some, id: "some" });
      const joined = t.call(
        "digest",
        { texts: [t.text`${t.optional(few)}${t.optional(some)}`] },
        { join: "none_failed", id: "joined" },
      );
      return { joined };
    });
  const plan = define(5);
  expect(said(plan)[1]).toEqual({
    task_id: "route",
    choose: {
      branches: [
        { name: "few", condition: "$count(${authors}) < ${limit}" },
        { name: "many", condition: "$count(${authors}) > 100" },
      ],
      else: "some",
    },
  });
  expect(said(plan)[2]).toMatchObject({ task_id: "few", when: { condition: "${route.few}" } });
  const textOf = async (limit: number) => (await new Planloom({ tools }).run(define(limit))).output_data.joined?.text;
  expect(await textOf(5)).toContain("Few: IS-1, IS-2, IS-3");
  expect(await textOf(2)).toContain("Some: IS-1, IS-2, IS-3");
});

test("waits and repeated calls", async () => {
  let calls = 0;
  const poll = defineTool({
    id: "poll",
    description: "",
    readOnly: true,
    execute: () => ({ state: ++calls > 2 ? "done" : "open" }),
  });
  const plan = definePlan({ tools: [poll, digest] }, (t) => {
    const polled = t.call(
      poll,
      {},
      { retry_until: { condition: t.expression`output.state = ${"done"}`, interval_ms: 0 } },
    );
    const waited = t.wait({ for_ms: 1 }, { after: [polled] });
    t.wait({ event: "approved", key: t.text`of ${polled.state}` }, { when: t.expression`false` });
    return { text: t.call(digest, { texts: [polled.state, t.text`${waited.waited_until}`] }) };
  });
  expect(said(plan)).toMatchObject([
    { task_id: "poll", retry_until: { condition: 'output.state = "done"', interval_ms: 0 } },
    { task_id: "wait", wait: { for_ms: 1 }, dependencies: ["poll"] },
    { task_id: "approved", wait: { event: "approved", key: "of ${poll.state}" } },
    { task_id: "digest" },
  ]);
  const { end_reason, output_data } = await new Planloom({ tools: [poll, digest] }).run(plan);
  expect(end_reason).toBe("completed");
  expect(output_data.text?.text).toMatch(/^Digest: done, \d{4}-/);
});

test("the event and the key of a signal are texts, whatever they refer to", () => {
  const plan = definePlan({ tools }, (t) =>
    t.each(t.call(authors, { country: "IS" }), (one) => t.wait({ event: "born", key: t.text`${one.id}` })),
  );
  expect(said(plan)[1]).toMatchObject({ for_each: { tasks: [{ wait: { event: "born", key: "${item.id}" } }] } });
});

test("an element whose task is left out has what its type says", async () => {
  const plan = definePlan({ tools }, (t) =>
    t.each(
      t.call(authors, { country: "IS" }),
      (one) => {
        const route = t.choose({ open: one.open }, { else: "closed" });
        return t.call(books, { author_id: one.id }, { when: route.open });
      },
      { failed_as: "error" },
    ),
  );
  const { end_reason, output_data } = await new Planloom({ tools }).run(plan);
  expect(end_reason).toBe("completed");
  expect(output_data.result?.map((each) => ("error" in each ? each.error.code : each.author))).toEqual([
    1,
    "TASK_DEPENDENCY",
    3,
  ]);
});

test("a list may be written with references in its objects", async () => {
  const plan = definePlan({ tools }, (t) => {
    const first = t.present(t.call(authors, { country: "IS" }).at(0));
    return t.each(
      [
        { id: first.id, note: first.name },
        { id: 7, note: "seven" },
      ],
      (one) => t.call(books, { author_id: one.id, note: one.note }),
    );
  });
  const { output_data } = await new Planloom({ tools }).run(plan);
  expect(output_data.result?.map(({ author }) => author)).toEqual([1, 7]);
});

test("a tool may decide", async () => {
  const judge = defineTool({ id: "judge", description: "", readOnly: true, execute: () => "no" });
  const plan = definePlan({ tools: [judge, digest] }, (t) => {
    const asked = t.decide(judge, {}, { yes: "It fits", no: "" });
    return { reported: t.call(digest, { texts: [asked.chosen] }, { when: asked.no }) };
  });
  const { output_data } = await new Planloom({ tools: [judge, digest] }).run(plan);
  expect(output_data.reported).toEqual({ text: "Digest: no" });
});

describe("what the types do not show is an error that says where", () => {
  const refused = (define: () => unknown) => {
    try {
      define();
    } catch (error) {
      if (error instanceof PlanError) return `${error.code} ${error.message}`;
      throw error;
    }
    return "nothing";
  };
  // What a program without types can write.
  // biome-ignore lint/suspicious/noExplicitAny: these are programs that do not compile.
  type Any = any;

  test.for<{ name: string; define: (t: Any) => unknown; says: RegExp }>([
    {
      name: "a tool of another plan",
      define: (t) => t.call({ resource: { kind: "tool", id: "mail" } }),
      says: /got "mail"\. It has authors, library\/books, digest/,
    },
    { name: "a misspelt id", define: (t) => t.call("autors", {}), says: /got "autors"\. Perhaps "authors" is meant/ },
    { name: "an argument that is missing", define: (t) => t.call(authors, {}), says: /country/ },
    {
      name: "an option that there is not",
      define: (t) => t.call(authors, { country: "IS" }, { retries: 2 }),
      says: /PLAN_OPTION .*`retries`/,
    },
    {
      name: "a retry of no attempts",
      define: (t) => t.call(authors, { country: "IS" }, { retry: { max_attempts: 0 } }),
      says: /retry\.max_attempts/,
    },
    {
      name: "a date",
      define: (t) => t.call(authors, { country: new Date(0) }),
      says: /country in the arguments of "authors" to be JSON/,
    },
    {
      name: "an object that a plan reads as a reference",
      define: (t) => t.call(authors, { country: { $ref: "x" } }),
      says: /only key is \$ref/,
    },
    {
      name: "two tasks of one id",
      define: (t) =>
        [t.call(authors, { country: "A" }, { id: "x" }), t.call(authors, { country: "B" }, { id: "x" })].at(9),
      says: /PLAN_DUPLICATE_TASK .*"x"/,
    },
    {
      name: "an id that is a variable",
      define: (t) => {
        t.call(authors, { country: "A" }, { id: "town" });
      },
      says: /PLAN_DUPLICATE_TASK .*"town"/,
    },
    {
      name: "printing a reference",
      define: (t) => `${t.call(authors, { country: "A" })}`,
      says: /has no value while a plan is being defined/,
    },
    {
      name: "a method of a list that is not there yet",
      define: (t) => t.call(authors, { country: "A" }).map((one: object) => t.call(authors, one)),
      says: /`map` cannot be called while a plan is being defined.*`t\.each\(list\.items\(\)/,
    },
    {
      name: "reading on from an optional reference",
      define: (t) => t.optional(t.call(authors, { country: "A" })).name,
      says: /t\.optional/,
    },
    {
      name: "a part as the result",
      define: (t) => t.call(authors, { country: "A" }).at(0),
      says: /A part of an output cannot be returned/,
    },
    {
      name: "computed arguments as a value",
      define: (t) => t.call(authors, { country: t.computed`{ "country": ${"IS"} }` }),
      says: /`t\.computed` makes, which is all arguments of a call/,
    },
    {
      name: "a secret in computed arguments",
      define: (t) => t.call(authors, t.computed`{ "country": ${t.secret("TOKEN")} }`),
      says: /computed from references and values, got a secret/,
    },
    {
      name: "a reference within a value of computed arguments",
      define: (t) => t.call(authors, t.computed`{ "country": ${[t.variables.town]}[0] }`),
      says: /got a reference within a value; write it into the expression/,
    },
    {
      name: "a list that makes no task",
      define: (t) => t.each(["a"], () => t.call(authors, { country: "A" }).at(0)),
      says: /return a task that it has made/,
    },
    {
      name: "a task of an element, outside",
      define: (t) => {
        let inner: Any;
        t.each(["a"], (one: Any) => (inner = t.call(authors, { country: one })));
        t.call(books, { author_id: inner.at(0).id });
      },
      says: /referred to outside of the function/,
    },
    {
      name: "an element, outside",
      define: (t) => {
        let item: Any;
        t.each(["a"], (one: Any) => {
          item = one;
          return t.call(authors, { country: one });
        });
        t.call(authors, { country: item });
      },
      says: /The element of a list is referred to outside/,
    },
    {
      name: "the place in an outer list, which the inner list hides",
      define: (t) =>
        t.each(["a"], (_: Any, at: Any) => t.each(["b"], () => t.call(digest, { texts: [t.text`${at}`] }))),
      says: /refers to the place of an outer list/,
    },
    {
      name: "`after` of something else",
      define: (t) => t.call(authors, { country: "A" }, { after: ["authors"] }),
      says: /`after` of "authors" to list tasks/,
    },
    { name: "an async function", define: async (t) => t.call(authors, { country: "A" }), says: /must not be async/ },
    {
      name: "a result of another plan",
      define: () => {
        let other: unknown;
        definePlan({ tools }, (t) => {
          other = t.call(authors, { country: "A" });
        });
        return other;
      },
      says: /"result" is a task of another plan/,
    },
    {
      name: "a reference of another plan",
      define: (t) => {
        let other: Any;
        definePlan({ tools }, (of) => {
          other = of.call(authors, { country: "A" });
        });
        t.call(digest, { texts: other.items().name });
      },
      says: /A reference is of another plan/,
    },
    {
      name: "a task that is made later",
      define: (t) => {
        definePlan({ tools, variables: { town: "Vik" } }, (of) => {
          t = of;
          of.call(authors, { country: "A" });
        });
        t.call(authors, { country: "A" });
      },
      says: /the plan has been defined already/,
    },
    {
      name: "a text as the condition",
      define: (t) => t.call(authors, { country: "A" }, { when: "true" }),
      says: /made by t\.expression/,
    },
  ])("$name", ({ define, says }) => {
    expect(refused(() => definePlan({ tools, variables: { town: "Vik" } }, define as never))).toMatch(says);
  });
});

describe("whatever is defined", () => {
  const echo = defineTool({ id: "echo", description: "", readOnly: true, execute: (input) => input });
  const planloom = new Planloom({ tools: [echo] });
  const nasty = fc.string({ unit: fc.constantFrom("$", "{", "}", "a", ".", '"', "\\", "é", "\n"), maxLength: 8 });
  const literal = fc.oneof(
    nasty,
    fc.jsonValue({ maxDepth: 2 }).filter((value) => !/"(\$(ref|text|secret)|__proto__)"/.test(JSON.stringify(value))),
  );
  /** A call with some data, references to earlier tasks, and perhaps within a list. */
  const step = fc.record({
    data: literal,
    from: fc.array(fc.nat(), { maxLength: 3 }),
    key: nasty,
    after: fc.option(fc.nat()),
    list: fc.option(fc.array(literal, { maxLength: 3 })),
    inner: fc.nat(2),
    label: nasty,
  });

  test("validates, is read back as it is, and hands every value over unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const expected = new Map<string, unknown>();
        const plan = definePlan({ tools: [echo] }, (t) => {
          const made: { readonly task: ReturnType<typeof t.call>; readonly value: unknown }[] = [];
          for (const { data, from, key, after, list, inner, label } of steps) {
            const sources = made.length === 0 ? [] : from.map((at) => made[at % made.length]!);
            const options = after === null || made.length === 0 ? {} : { after: [made[after % made.length]!.task] };
            const input = {
              data,
              text: t.text`${label}:${data === null ? 0 : 1}`,
              [`k${key}`]: sources.map(({ task }) => task),
            };
            const value = {
              data,
              text: `${label}:${data === null ? 0 : 1}`,
              [`k${key}`]: sources.map((source) => source.value),
            };
            if (list === null) made.push({ task: t.call(echo, input, options) as never, value });
            else {
              const task = t.each(
                list,
                (item, index) => {
                  for (let count = 0; count < inner; count++) t.call(echo, { item });
                  return t.call(echo, { ...input, item, index });
                },
                options,
              );
              made.push({ task: task as never, value: list.map((item, index) => ({ ...value, item, index })) });
            }
          }
          t.call(echo, { all: made.map(({ task }) => task) }, { id: "all" });
          expected.set("all", { all: made.map(({ value }) => value) });
        });
        expect(validatePlan(plan, [echo.resource])).toEqual([]);
        expect(parsePlanText(formatPlan(plan))).toEqual(plan);
        const { output_data } = await planloom.run(plan);
        expect(output_data.all).toEqual(expected.get("all"));
      }),
      { numRuns: 40 },
    );
  });
});
