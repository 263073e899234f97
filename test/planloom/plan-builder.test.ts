import fc from "fast-check";
import { defineAgent, defineLlm, definePlan, defineTool, defineWorkflow, Planloom, renderAscii } from "planloom";
import { diffPlans, formatPlan, parsePlanText, planHashes, validatePlan } from "planloom/plan";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { authors, books, catalogue, digest, said, toolResources, tools } from "../support/library-tools.ts";

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
