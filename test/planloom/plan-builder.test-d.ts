// What the types of `definePlan` promise. Nothing here is executed: `pnpm typecheck` checks it.
import { defineAgent, defineLlm, definePlan, defineTool, defineWorkflow, Planloom, type TaskData } from "planloom";
import type { InputOf, JsonSchema, JsonSchemaValue, OutputOf, Ref, TypedReference, ValueOf } from "planloom/plan";
import { run, toolExecutor } from "planloom/runtime";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";

const authors = defineTool({
  id: "authors",
  description: "Authors of a country",
  input: z.object({ country: z.string(), limit: z.number().default(10) }),
  output: z.array(z.object({ id: z.number(), name: z.string(), born: z.string().optional() })),
  execute: ({ country }) => [{ id: 1, name: country }],
});
const books = defineTool({
  id: "books",
  description: "Books of an author",
  input: {
    type: "object",
    properties: { author_id: { type: "integer" }, order: { enum: ["title", "year"] } },
    required: ["author_id"],
  },
  output: {
    type: "object",
    properties: {
      titles: { type: "array", items: { type: "string" } },
      total: { type: "integer" },
      next: { type: ["string", "null"] },
    },
    required: ["titles", "total", "next"],
  },
  execute: ({ author_id, order }) => {
    expectTypeOf(author_id).toEqualTypeOf<number>();
    expectTypeOf(order).toEqualTypeOf<"title" | "year" | undefined>();
    return { titles: [], total: 0, next: null };
  },
});
const mail = defineTool({
  id: "mail",
  description: "Sends a text",
  input: z.object({ to: z.string(), text: z.string(), tags: z.array(z.string()).optional() }),
  execute: async () => ({ sent: true, at: new Date() }),
});
const ping = defineTool({ id: "ping", description: "", execute: () => 1 });
const tools = [authors, books, mail, ping] as const;

describe("what a tool takes and gives", () => {
  test("is read from its schemas", () => {
    expectTypeOf<InputOf<typeof authors>>().toEqualTypeOf<{ country: string; limit?: number | undefined }>();
    expectTypeOf<OutputOf<typeof authors>>().toEqualTypeOf<{ id: number; name: string; born?: string | undefined }[]>();
    expectTypeOf<OutputOf<typeof books>>().toEqualTypeOf<{ titles: string[]; total: number; next: string | null }>();
  });

  test("without a schema of the output, from what `execute` returns, as JSON", () => {
    expectTypeOf<OutputOf<typeof mail>>().toEqualTypeOf<{ sent: boolean; at: string }>();
    expectTypeOf<OutputOf<typeof ping>>().toEqualTypeOf<number>();
  });

  test("`execute` must return what the schema says", () => {
    // @ts-expect-error: a number, not a text.
    defineTool({ id: "t", description: "", output: z.object({ n: z.number() }), execute: () => ({ n: "x" }) });
    // @ts-expect-error: the property is missing.
    defineTool({ id: "t", description: "", output: z.object({ n: z.number() }), execute: async () => ({}) });
    // @ts-expect-error: a number, not a text.
    defineTool({ id: "t", description: "", output: { enum: ["open", "closed"] }, execute: () => 1 });
    defineTool({ id: "t", description: "", output: { enum: ["open", "closed"] }, execute: () => "open" });
    const state = { type: "object", properties: { state: { enum: ["open", "closed"] } }, required: ["state"] } as const;
    defineTool({ id: "t", description: "", output: state, execute: async () => ({ state: "open" }) });
    // @ts-expect-error: the property is misspelt.
    defineTool({ id: "t", description: "", output: state, execute: async () => ({ status: "open" }) });
    const unknown: JsonSchema = true;
    defineTool({ id: "t", description: "", output: unknown, execute: () => "anything" });
  });
});

describe("a plan", () => {
  const p = definePlan({ tools }, (t) => {
    const a = t.call(authors, { country: "IS" });
    expectTypeOf(a.items().name).toExtend<TypedReference<string[]>>();
    return t.each(a.items(), (one, index) => {
      expectTypeOf(index).toExtend<TypedReference<number>>();
      expectTypeOf(one).toEqualTypeOf<Ref<{ id: number; name: string; born?: string | undefined }>>();
      return t.call(books, { author_id: one.id });
    });
  });
  type Books = { titles: string[]; total: number; next: string | null };

  test("is an ordinary plan, whose run has a typed `output_data`", async () => {
    expectTypeOf(p).toExtend<TaskData>();
    const result = await new Planloom({ tools }).run(p);
    if (result.end_reason === "completed")
      expectTypeOf(result.output_data).toEqualTypeOf<{ readonly result: Books[] }>();
    else expectTypeOf(result.output_data).toEqualTypeOf<Partial<{ readonly result: Books[] }>>();
    const alone = await run(p, { executors: [toolExecutor(tools)] });
    expectTypeOf(alone.output_data.result).toEqualTypeOf<Books[] | undefined>();
    const streamed = await new Planloom({ tools }).stream(p).result;
    expectTypeOf(streamed.output_data.result).toEqualTypeOf<Books[] | undefined>();
  });

  test("results have the names that they are returned by", () => {
    const named = definePlan({ tools }, (t) => ({
      sent: t.call("mail", { to: "a", text: t.text`${t.call(authors, { country: "IS" }).at(0)}` }),
      pinged: t.call(ping),
    }));
    type Outputs = Awaited<ReturnType<typeof runNamed>>["output_data"];
    const runNamed = () => run(named, { executors: [] });
    expectTypeOf<NonNullable<Outputs["sent"]>>().toEqualTypeOf<{ sent: boolean; at: string }>();
    expectTypeOf<NonNullable<Outputs["pinged"]>>().toEqualTypeOf<number>();
  });

  test("what may be absent must be dealt with", () => {
    definePlan({ tools }, (t) => {
      const [first] = [t.call(authors, { country: "IS" }).at(0)];
      // @ts-expect-error: there may be no first author.
      t.call(books, { author_id: first.id });
      t.call(books, { author_id: t.present(first).id });
      // @ts-expect-error: `author_id` cannot be null.
      t.call(books, { author_id: t.optional(first.id) });
      const maybe = t.call(ping, {}, { when: t.expression`${first.id} > ${1}` });
      expectTypeOf(maybe).toExtend<TypedReference<number | undefined>>();
      // @ts-expect-error: it may have been skipped.
      t.call(books, { author_id: maybe });
      return { maybe };
    });
  });

  test("a list that goes on after failures has something in their places", () => {
    definePlan({ tools }, (t) => {
      const each = t.each(t.call(authors, { country: "IS" }), (one) => t.call(books, { author_id: one.id }), {
        on_failure: "collect",
        failed_as: "error",
      });
      expectTypeOf(each).toExtend<TypedReference<(Books | { error: { code: string; message: string } })[]>>();
      const nulls = t.each(["a", "b"], (to) => t.call(mail, { to, text: "Hello" }), { on_failure: { first: 2 } });
      expectTypeOf(nulls).toExtend<TypedReference<({ sent: boolean; at: string } | null)[]>>();
      // @ts-expect-error: nulls are in it.
      expectTypeOf(nulls).toExtend<TypedReference<{ sent: boolean; at: string }[]>>();
    });
  });

  test("a decision has its branches, and what follows one may be skipped", () => {
    definePlan({ tools }, (t) => {
      const found = t.call(authors, { country: "IS" });
      const route = t.choose(
        { none: t.expression`$count(${found}) = 0`, many: t.expression`$count(${found}) > 9` },
        { else: "few" },
      );
      expectTypeOf(route.chosen).toExtend<TypedReference<"none" | "many" | "few">>();
      const pinged = t.call(ping, {}, { when: route.few });
      expectTypeOf(pinged).toExtend<TypedReference<number | undefined>>();
      // @ts-expect-error: no such branch.
      t.call(ping, {}, { when: route.some });
      // @ts-expect-error: the name of a branch is no condition.
      t.call(ping, {}, { when: route.chosen });
      const asked = t.decide(ping, {}, { yes: "It fits", no: "" });
      t.call(ping, {}, { when: asked.yes });
      // @ts-expect-error: no such branch.
      asked.maybe;
    });
  });

  test("a signal has the type of its schema, and may have its value at the deadline", () => {
    definePlan({ tools }, (t) => {
      const schema = { type: "object", properties: { by: { type: "string" } }, required: ["by"] } as const;
      const answer = t.wait({
        event: "approved",
        key: t.text`order-${1}`,
        schema,
        timeout_ms: 1000,
        on_deadline: { value: null },
      });
      expectTypeOf(answer).toExtend<TypedReference<{ by: string } | null>>();
      expectTypeOf(t.wait({ for_ms: 1000 })).toExtend<TypedReference<{ waited_until: string }>>();
      // @ts-expect-error: a number, not a text.
      t.wait({ for_ms: "1000" });
      // @ts-expect-error: a wait has no such field.
      t.wait({ seconds: 3 });
      t.call(ping, {}, { retry_until: { condition: t.expression`output > ${3}`, interval_ms: 10 } });
    });
  });

  test("a call that is repeated may have a value at the deadline, or be skipped then", () => {
    definePlan({ tools }, (t) => {
      const condition = t.expression`output > ${3}`;
      const before = t.call(ping);
      const value = { late: before };
      const late = t.call(ping, {}, { retry_until: { condition, max_polls: 1, on_deadline: { value } } });
      expectTypeOf(late).toExtend<TypedReference<number | { readonly late: number }>>();
      // @ts-expect-error: it may be the value of the deadline.
      t.call(books, { author_id: late });
      const skipped = t.call(ping, {}, { retry_until: { condition, max_polls: 1, on_deadline: "skip" } });
      // @ts-expect-error: it may have been skipped.
      t.call(books, { author_id: skipped });
      const signal = t.wait({ event: "e", schema: { type: "number" }, timeout_ms: 1, on_deadline: { value: before } });
      expectTypeOf(signal).toExtend<TypedReference<number>>();
    });
  });

  test("what comes after a task that may be skipped may be skipped, unless it says otherwise", () => {
    definePlan({ tools }, (t) => {
      const maybe = t.call(ping, {}, { when: t.expression`false` });
      // @ts-expect-error: it may have been skipped.
      t.call(books, { author_id: t.call(ping, {}, { after: [maybe] }) });
      t.call(books, { author_id: t.call(ping, {}, { after: [maybe], join: "none_failed" }) });
      t.call(books, { author_id: t.call(ping, {}, { after: [t.call(ping)] }) });
      const asked = t.decide(ping, {}, { yes: "", no: "" }, { when: t.expression`false` });
      expectTypeOf<undefined extends ValueOf<typeof asked> ? "maybe" : "surely">().toEqualTypeOf<"maybe">();
      const options: { readonly when?: ReturnType<typeof t.expression> } = {};
      // @ts-expect-error: it may have a condition.
      t.call(books, { author_id: t.call(ping, {}, options) });
    });
  });

  test("a list may be written with references in it, at any depth", () => {
    definePlan({ tools }, (t) => {
      const number = t.call(ping);
      t.each(
        [
          { id: number, name: "x" },
          { id: 1, name: t.text`${number}` },
        ],
        (one) => {
          expectTypeOf(one.name).toExtend<TypedReference<string>>();
          return t.call(books, { author_id: one.id });
        },
      );
      t.each([[number, 1], [2]], (row) => t.each(row, (one) => t.call(books, { author_id: one })));
    });
  });

  test("tuples have their places", () => {
    const place = z.tuple([z.string(), z.number()]);
    const locate = defineTool({
      id: "locate",
      description: "",
      input: z.object({ place }),
      output: place,
      execute: ({ place: [name, zone] }) => [name, zone],
    });
    definePlan({ tools: [locate, books] }, (t) => {
      const located = t.call(locate, { place: ["Vik", 3] });
      t.call(locate, { place: located });
      t.call(locate, { place: [located.at(0), located.at(1)] });
      // @ts-expect-error: the wrong way round.
      t.call(locate, { place: [3, "Vik"] });
      // @ts-expect-error: one too many.
      t.call(locate, { place: ["Vik", 3, 4] });
      // @ts-expect-error: a text, not a number.
      t.call(books, { author_id: located.at(0) });
    });
    const pair = { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false } as const;
    expectTypeOf<JsonSchemaValue<typeof pair>>().toEqualTypeOf<(string | number)[]>();
  });

  test("schemas may be recursive", () => {
    type Tree = { name: string; children: Tree[] };
    const tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(tree) }));
    const grow = defineTool({ id: "grow", description: "", output: tree, execute: () => ({ name: "", children: [] }) });
    // @ts-expect-error: the children are missing.
    defineTool({ id: "grow", description: "", output: tree, execute: () => ({ name: "" }) });
    definePlan({ tools: [grow] }, (t) => {
      expectTypeOf(t.call(grow).children.items().name).toExtend<TypedReference<string[]>>();
    });
  });

  test("variables have the types of their values", () => {
    definePlan({ tools, variables: { country: "IS", limit: 3 } }, (t) => {
      t.call(authors, { country: t.variables.country, limit: t.variables.limit });
      // @ts-expect-error: a number.
      t.call(authors, { country: t.variables.limit });
      // @ts-expect-error: there is no such variable.
      t.variables.city;
    });
  });

  test("tools of servers are described where they are used", () => {
    const issues = {
      kind: "tool",
      id: "github/list_issues",
      description: "",
      input_schema: { type: "object", properties: { owner: { type: "string" } }, required: ["owner"] },
      output_schema: {
        type: "array",
        items: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
      },
    } as const;
    definePlan({ tools: [issues, mail] }, (t) => {
      const found = t.call("github/list_issues", { owner: "me" });
      expectTypeOf(found.items().title).toExtend<TypedReference<string[]>>();
      // @ts-expect-error: misspelt.
      t.call("github/list_issues", { owners: "me" });
    });
  });

  test("outputs that nothing is known of are given a type by hand", () => {
    const raw = defineTool({ id: "raw", description: "", execute: (): unknown => ({}) });
    definePlan({ tools: [raw, books] }, (t) => {
      const output = t.call(raw);
      // @ts-expect-error: nothing is known of it.
      t.call(books, { author_id: output });
      // @ts-expect-error: likewise of its parts.
      output.id;
      t.call(books, { author_id: t.assume<{ id: number }>(output).id });
    });
  });
});

describe("agents, models and workflows", () => {
  const critic = defineAgent({
    id: "critic",
    description: "",
    schema: z.object({ text: z.string(), strict: z.boolean().default(false) }),
    output: { type: "object", properties: { mark: { type: "number" } }, required: ["mark"] },
    send: () => ({ success: true }),
  });
  const clerk = defineAgent({ id: "clerk", description: "", model: undefined, schema: z.object({ task: z.string() }) });
  const judge = defineAgent({
    id: "judge",
    description: "",
    model: undefined,
    output: z.object({ fair: z.boolean() }),
  });
  const writer = defineLlm({ id: "writer", description: "" });
  const shorten = defineWorkflow({
    id: "shorten",
    description: "",
    plan: { planned_tasks: [] },
    input: z.object({ word: z.string() }),
    outputSchema: z.object({ text: z.string() }),
  });

  test("are typed by their schemas", () => {
    expectTypeOf<InputOf<typeof critic>>().toEqualTypeOf<{ text: string; strict?: boolean | undefined }>();
    expectTypeOf<OutputOf<typeof critic>>().toEqualTypeOf<{ mark: number }>();
    expectTypeOf<OutputOf<typeof clerk>>().toEqualTypeOf<{ text: string; truncated?: true }>();
    expectTypeOf<OutputOf<typeof judge>>().toEqualTypeOf<{ fair: boolean }>();
    definePlan({ agents: [critic, clerk, judge], llms: [writer], workflows: [shorten] }, (t) => {
      const marked = t.call("critic", { text: t.call(writer, { prompt: "Write", about: ["x"] }).text });
      expectTypeOf(marked.mark).toExtend<TypedReference<number>>();
      // @ts-expect-error: it has no such field.
      marked.marks;
      // @ts-expect-error: an argument is missing.
      t.call(critic, {});
      // @ts-expect-error: no such id.
      t.call("critics", { text: "x" });
      // @ts-expect-error: a number, not a text.
      t.call("clerk", { task: 1 });
      expectTypeOf(t.call(judge, { anything: 1 }).fair).toExtend<TypedReference<boolean>>();
      // @ts-expect-error: a number, not a text.
      t.call(writer, { prompt: 1 });
      return t.call(shorten, { word: t.call(clerk, { task: "Find a word" }).text });
    });
  });
});

test("a workflow gives what its typed plan gives", () => {
  const one = definePlan({ tools: [books] }, (t) => t.call(books, { author_id: 1 }));
  const two = definePlan({ tools: [books] }, (t) => ({
    a: t.call(books, { author_id: 1 }),
    b: t.call(books, { author_id: 2 }),
  }));
  const maybe = definePlan({ tools: [books] }, (t) => ({
    a: t.call(books, { author_id: 1 }, { when: t.expression`true` }),
  }));
  const none = definePlan({ tools: [books] }, (t) => void t.call(books, { author_id: 1 }));
  const of = { id: "w", description: "" } as const;
  type Books = OutputOf<typeof books>;
  const whole = defineWorkflow({ ...of, plan: one });
  expectTypeOf<OutputOf<typeof whole>>().toEqualTypeOf<Books>();
  const both = defineWorkflow({ ...of, plan: two });
  expectTypeOf<OutputOf<typeof both>>().toEqualTypeOf<{ readonly a: Books; readonly b: Books }>();
  const skipped = defineWorkflow({ ...of, plan: maybe });
  expectTypeOf<OutputOf<typeof skipped>>().toEqualTypeOf<Books | null>();
  const open = [
    defineWorkflow({ ...of, plan: none }),
    defineWorkflow({ ...of, plan: { planned_tasks: [] } }),
    defineWorkflow({ ...of, plan: "planned_tasks: []" }),
    defineWorkflow({ ...of, plan: one, output: "outputs.books" }),
  ] as const;
  expectTypeOf<OutputOf<(typeof open)[number]>>().toBeUnknown();
  const said = defineWorkflow({ ...of, plan: one, outputSchema: z.object({ text: z.string() }) });
  expectTypeOf<OutputOf<typeof said>>().toEqualTypeOf<{ text: string }>();
  definePlan({ tools: [books], workflows: [whole] }, (t) => {
    expectTypeOf(t.call(whole).total).toExtend<TypedReference<number>>();
    // @ts-expect-error: it has no such field.
    t.call(whole).totals;
  });
});

test("arguments that are computed have no type, and are arguments alone", () => {
  definePlan({ tools: [books, mail] }, (t) => {
    const total = t.call(books, t.computed`{ "author_id": ${1} + 1 }`).total;
    expectTypeOf(total).toExtend<TypedReference<number>>();
    // @ts-expect-error: it makes all arguments, not one of them.
    t.call(books, { author_id: t.computed`1` });
    // @ts-expect-error: it is no condition.
    t.call(mail, { to: "a", text: "b" }, { when: t.computed`true` });
    return { total: t.call(books, { author_id: total }), again: t.call(books, { author_id: total }) };
  });
});

test("misuse does not compile", () => {
  definePlan({ tools: [authors, books, mail] }, (t) => {
    const a = t.call(authors, { country: "IS" });
    // @ts-expect-error: not among the tools of the plan.
    t.call(ping);
    // @ts-expect-error: no such id.
    t.call("author", { country: "IS" });
    // @ts-expect-error: an argument is missing.
    t.call(authors, {});
    // @ts-expect-error: all arguments are missing.
    t.call(authors);
    // @ts-expect-error: no such argument.
    t.call(authors, { country: "IS", town: "Vik" });
    // @ts-expect-error: a number, not a text.
    t.call(authors, { country: 1 });
    // @ts-expect-error: a text where a number is wanted.
    t.call(books, { author_id: t.present(a.at(0)).name });
    // @ts-expect-error: a list where one value is wanted.
    t.call(books, { author_id: a.items().id });
    // @ts-expect-error: one value where a list is wanted.
    t.call(mail, { to: "a", text: "b", tags: t.present(a.at(0)).name });
    // @ts-expect-error: none of the values of the enum.
    t.call(books, { author_id: 1, order: "size" });
    // @ts-expect-error: an author has no such field.
    a.items().title;
    // @ts-expect-error: no list.
    t.each(t.call(books, { author_id: 1 }), () => t.call(mail, { to: "a", text: "b" }));
    // @ts-expect-error: no task is returned.
    t.each(a, (one) => one.name);
    // @ts-expect-error: no field of a task.
    t.call(mail, { to: "a", text: "b" }, { retries: 3 });
    // @ts-expect-error: a text is no condition.
    t.call(mail, { to: "a", text: "b" }, { when: "true" });
    // @ts-expect-error: no policy.
    t.each(a, (one) => t.call(books, { author_id: one.id }), { on_failure: "some" });
    // A text may be made of anything, and a list of references and values.
    t.call(mail, { to: t.text`Author ${t.present(a.at(0)).id}`, text: "b", tags: [t.present(a.at(0)).name, "c"] });
  });
  // @ts-expect-error: a part of an output is no task.
  definePlan({ tools: [authors] }, (t) => t.call(authors, { country: "IS" }).items().name);
});
