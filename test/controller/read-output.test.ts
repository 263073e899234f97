import { planSchema, readOutput } from "@planloom/controller";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attacks } from "../support/broken-output.ts";
import { cases } from "../support/cases.ts";
import { leastCpuMs } from "../support/cpu-time.ts";
import { mutateText, randomFrom } from "../support/mutate-text.ts";
import { inventedTexts, modelTexts } from "../support/output-texts.ts";

const plan = { tasks: [{ task_id: "a", tool_id: "offices_list", arguments: { city: "Lyon", limit: 5 } }] };
const json = JSON.stringify(plan);
const schema = {
  type: "object",
  properties: { tasks: { type: "array" }, note: { type: "string" } },
  required: ["tasks"],
} as const;
const step = {
  type: "object",
  properties: { uid: { type: "string" }, input_data: { type: "object" } },
  required: ["uid", "input_data"],
} as const;

describe("finds the value", () => {
  test.for([
    { name: "alone", text: json },
    { name: "with white space around", text: `\n ${json}\n` },
    { name: "in a fence", text: `\`\`\`json\n${json}\n\`\`\`` },
    { name: "in a fence with prose around", text: `Sure:\n\`\`\`\n${json}\n\`\`\`\nDone [1].` },
    { name: "in prose", text: `Here {it} is, as "asked": ${json} Isn't that it? {x}` },
    { name: "in prose with apostrophes", text: `Here's what I'd do: ${json} That's it.` },
    { name: "in a tag", text: `<plan>${json}</plan>` },
    { name: "in a tag that is never closed", text: `<answer>\n${json}` },
    { name: "after a thought", text: `<think>{"tasks": []} is wrong</think>\n${json}` },
    { name: "after a thought that began in the prompt", text: `so {"tasks": []}? No.</think>${json}` },
    {
      name: "after a second thought",
      text: `{"tasks": [1, 2, 3], "note": "a draft"}<think>no</think> so</think>${json}`,
    },
    { name: "after brackets with an apostrophe", text: `I'd use {that, 'tis so} and then: ${json}` },
    {
      name: "after a thought in the marks of Magistral",
      text: `[THINK]{"tasks": [1, 2, 3], "note": "a draft"}?[/THINK]${json}`,
    },
    { name: "of Kimi", text: `◁think▷{"tasks": [1, 2, 3], "note": "a draft"}?◁/think▷${json}` },
    { name: "of Cohere", text: `<|START_THINKING|>{"tasks": [1, 2, 3], "note": "a draft"}?<|END_THINKING|>${json}` },
    { name: "of Seed", text: `<seed:think>{"tasks": [1, 2, 3], "note": "a draft"}?</seed:think>${json}` },
    {
      name: "in the final channel of gpt-oss",
      text: `<|channel|>analysis<|message|>{"tasks": [1, 2, 3], "note": "a draft"}?<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>${json}<|return|>`,
    },
    { name: "after a thought that is never closed", text: `<think>I am sure: ${json}` },
    { name: "after a stray bracket", text: `Use { to begin. ${json}` },
    { name: "among several", text: `{"tool": "x"} then ${json} then {"note": "n"}` },
    { name: "with trailing commas", text: json.replaceAll("}", ",}").replace("]", ",]") },
    { name: "in single quotes", text: json.replaceAll('"', "'") },
    { name: "without quotes around keys", text: json.replaceAll(/"(\w+)":/g, "$1:") },
    { name: "with comments", text: json.replace("{", "{ // the plan\n") },
    { name: "as a JSON string", text: JSON.stringify(json) },
    { name: "with escaped quotes", text: json.replaceAll('"', '\\"') },
    { name: "without its last brackets", text: json.slice(0, -2) },
    { name: "without its last brackets, in a fence", text: `\`\`\`json\n${json.slice(0, -1)}\n\`\`\`` },
  ])("$name", ({ text }) => {
    expect(readOutput(text, { schema })).toMatchObject({ found: true, value: plan, truncated: false });
  });

  test("with Python literals", () => {
    expect(readOutput("{'a': True, 'b': None, 'c': False}")).toMatchObject({ value: { a: true, b: null, c: false } });
  });

  test("that has the preferred keys", () => {
    const text = '{"thought": "long enough to be the longest of them all"} {"uid": "x", "input_data": {}}';
    expect(readOutput(text, { prefer: ["uid", "input_data"] })).toMatchObject({ value: { uid: "x" } });
  });

  test("that says it is the answer", () => {
    const text = '{"a": "an example, and a long one"} <answer>{"a": 1}</answer>';
    expect(readOutput(text)).toMatchObject({ value: { a: 1 } });
  });

  test("without the outer braces", () => {
    expect(readOutput('"uid": "x",\n"input_data": {"a": 1}', { schema: step })).toMatchObject({
      value: { uid: "x", input_data: { a: 1 } },
      repairs: [{ what: "bracket" }],
    });
  });

  test("by its keys when quotes are missing", () => {
    const text = '{\n  "uid": offices_list",\n  "input_data": {"a": 1}\n  "why": I need to see them, all,\n}';
    expect(readOutput(text, { schema: step })).toMatchObject({ value: { uid: "offices_list", input_data: { a: 1 } } });
  });

  test("of a list where the schema is of what wraps it", () => {
    expect(readOutput('[{"task_id": "a"}]', { schema })).toMatchObject({ value: [{ task_id: "a" }] });
  });
});

describe("what was cut off", () => {
  test.for([
    { text: '{"uid": "a", "input_data": {"id": "abc', value: { uid: "a", input_data: {} } },
    { text: '{"uid": "a", "input_data": {"n": 12', value: { uid: "a", input_data: {} } },
    { text: '{"uid": "a", "input_data": {"n": 12, "m": 3', value: { uid: "a", input_data: { n: 12 } } },
    { text: '{"uid": "a", "input_data": {"n": [1, 2', value: { uid: "a", input_data: { n: [1] } } },
    { text: `{'tasks': [{"task_id": "a"}], 'no`, value: { tasks: [{ task_id: "a" }] } },
    { text: '{"uid": "a", "input_', value: { uid: "a" } },
    { text: '{"tasks": [{"task_id": "a"}, "b', value: { tasks: [{ task_id: "a" }] } },
  ])("is left out and reported: $text", ({ text, value }) => {
    const output = readOutput(text);
    expect(output).toMatchObject({ found: true, truncated: true });
    expect(output.found && output.value).toEqual(value);
    expect(output.found && output.repairs.at(-1)?.what).toBe("cut");
  });

  test("is not made a name", () => {
    expect(JSON.stringify(readOutput('{"input_data": {}, "uid": "offices_l', { schema: step }))).not.toContain(
      '"uid":',
    );
  });
});

describe("finds nothing", () => {
  test.for([
    "",
    "nothing",
    "a [b] c",
    "see {that}",
    "<think>{}",
    '<think>{"uid": 1}</think>',
    "42 apples",
    "{",
    "[[[[",
  ])("in %j", (text) => {
    expect(readOutput(text, { schema })).toMatchObject({
      found: false,
      issues: [{ code: "unreadable", message: "Could not extract valid JSON from response" }],
    });
  });

  test("in a scalar or a list of scalars where an object is wanted", () => {
    expect(readOutput("[1, 2]", { schema }).found).toBe(false);
    expect(readOutput('"text"', { schema }).found).toBe(false);
    expect(readOutput("[1, 2]").found).toBe(true);
  });

  test("in a text over the limit", () => {
    expect(readOutput(json, { maxCharacters: 10 })).toMatchObject({ found: false });
  });

  test("in a value that is nested too deep", () => {
    expect(readOutput(`${"[".repeat(5_000)}${"]".repeat(5_000)}`).found).toBe(false);
    expect(readOutput(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`).found).toBe(false);
  });
});

test("prototype names are plain keys", () => {
  const output = readOutput('{"__proto__": {"polluted": 1}, "constructor": 2,}');
  expect(output.found && Object.keys(output.value as object)).toEqual(["__proto__", "constructor"]);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

describe("laws", () => {
  const pieces = fc.constantFrom(
    ..."{}[],:\"'`\\/",
    "uid",
    "tasks",
    "input_data",
    "<think>",
    "</think>",
    "```",
    "\n",
    " ",
    "a",
    "1",
    "True",
  );
  const garbage = fc
    .array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 60 })
    .map((parts) => parts.join(""));

  test("any text gives a value or issues", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), garbage), fc.constantFrom(undefined, schema, step, true), (text, schema) => {
        const output = readOutput(text, { ...(schema === undefined ? {} : { schema }), prefer: ["uid"] });
        expect(output.found || output.issues.length > 0).toBe(true);
      }),
      { numRuns: cases(2_000) },
    );
  });

  test("JSON objects come back as they are, whatever is around them", () => {
    const around = fc.stringMatching(/^[\w .,!?]*$/);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), around, around, (value, before, after) => {
        const text = JSON.stringify(value);
        fc.pre(!/<\/?\w+>/.test(text));
        const output = readOutput(`${before}\n${text}\n${after}`);
        expect(output).toMatchObject({ found: true, repairs: [], truncated: false });
        expect(output.found && JSON.stringify(output.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("a cut text never gives a string or number that the whole one does not have", () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    const value = fc.record({
      uid: word,
      input_data: fc.dictionary(word, fc.oneof(word, fc.integer({ min: 10, max: 9_999 }), fc.array(word))),
    });
    fc.assert(
      fc.property(value, fc.double({ min: 0, max: 1, noNaN: true }), (value, share) => {
        const text = JSON.stringify(value);
        const output = readOutput(text.slice(0, Math.floor(text.length * share)), { schema: step });
        const whole = new Set(leaves(value));
        expect(output.found ? leaves(output.value).filter((leaf) => !whole.has(leaf)) : []).toEqual([]);
      }),
    );
  });

  test("a fault beside them does not change values", () => {
    const faults = fc.constantFrom(
      (text: string) => `${text.slice(0, -1)},}`,
      (text: string) => `{/* so */${text.slice(1)}`,
      (text: string) => `{,${text.slice(1)}`,
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }), faults, (value, fault) => {
        const text = JSON.stringify(value);
        fc.pre(!/<\/?\w+>|\\"/.test(text));
        const output = readOutput(fault(text));
        expect(output.found ? output.repairs : []).not.toEqual([]);
        expect(output.found && JSON.stringify(output.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("no mutation of a text makes it throw, or gives a string that does not stand in the text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.boolean(), (seed, plain) => {
        const text = mutateText(modelTexts, randomFrom(seed));
        const output = readOutput(text, plain ? {} : { schema: planSchema(), prefer: ["tasks"] });
        expect(output.found ? inventedTexts(text, output.value) : []).toEqual([]);
        expect(output.found || output.issues.length > 0).toBe(true);
      }),
      { numRuns: cases(2_000) },
    );
  });

  test.for(Object.entries(attacks))("the time is linear: %s", ([, make]) => {
    const time = (length: number) => {
      const text = make(length);
      return leastCpuMs(() => readOutput(text, { schema: planSchema(), prefer: ["tasks"] }), 2);
    };
    time(10_000);
    expect(time(80_000)).toBeLessThan(10 * time(20_000) + 40);
  });
});

describe("names on offer", () => {
  const schema = {
    type: "object",
    properties: { tool: { type: "string", enum: ["click", "click_all", "df.sort(by="] }, why: { type: "string" } },
    required: ["tool"],
  } as const;
  test.for([
    { text: '{"tool": "click"[button="Back to Search"]}', tool: "click" },
    { text: '{"tool": "click_all"[x], "why": y}', tool: "click_all" },
    { text: '{"tool": "df.sort(by="A", ascending=True)",}', tool: "df.sort(by=" },
    { text: '"why": "so", "tool": "click"[button_text]', tool: "click" },
    { text: '{"tool": "click" "why": "so"}', tool: "click" },
  ])("are known from what stands behind them: $text", ({ text, tool }) => {
    expect(readOutput(text, { schema })).toMatchObject({ found: true, value: { tool } });
  });
  test.for([
    { text: '{"tool": "click[Next]",}', tool: "click[Next]" },
    { text: '{"tool": "clicks",}', tool: "clicks" },
    { text: '{"tool": "double_click", "why": x}', tool: "double_click" },
    { text: '{"tool": "click\\"x"}', tool: 'click"x' },
  ])("are not put in the place of others: $text", ({ text, tool }) => {
    expect(readOutput(text, { schema })).toMatchObject({ found: true, value: { tool } });
  });
  test("are settled in lists of tasks too, and the log says so", () => {
    const tools = [{ kind: "tool" as const, id: "click", name: "click", description: "" }];
    const output = readOutput('{"tasks": [{"task_id": "a", "tool_id": "click"[x]"}]}', { schema: planSchema(tools) });
    expect(output).toMatchObject({ value: { tasks: [{ task_id: "a", tool_id: "click" }] } });
    expect(output.found && output.repairs.map(({ what }) => what)).toContain("name");
  });
});

describe("the log says what was done", () => {
  test.for([
    { text: '{"a": 1,}', repairs: ["comma"] },
    { text: '{"a": 1 "b": 2}', repairs: ["comma"] },
    { text: "{'a': 1}", repairs: ["quote"] },
    { text: '{"a": True}', repairs: ["literal"] },
    { text: '{"a": x y}', repairs: ["quote"] },
    { text: '{"a" {"b": 1}}', repairs: ["colon"] },
    { text: '{"a": 1, "b":}', repairs: ["value"] },
    { text: '{"a": "x\ny"}', repairs: ["escape"] },
    { text: '{"a": "b" + "c"}', repairs: ["string"] },
    { text: '{"a": [1, 2}', repairs: ["bracket"] },
    { text: '{"a": 1 /* one */}', repairs: ["comment"] },
    { text: '{"a": 1, "b": "x', repairs: ["bracket", "cut"] },
  ])("$text", ({ text, repairs }) => {
    const output = readOutput(text);
    expect(output.found && output.repairs.map(({ what }) => what)).toEqual(repairs);
  });

  test("and no more than twenty entries of it", () => {
    const output = readOutput(`{${"a: b,".repeat(1_000)}}`);
    expect(output.found && output.repairs).toHaveLength(20);
  });
});

describe("texts with marks of their own", () => {
  test.for([
    { text: '{"a": "say "hi" now", "b": 1}', value: { a: 'say "hi" now', b: 1 } },
    { text: "{'a': 'it's so', 'b': 'x'}", value: { a: "it's so", b: "x" } },
    { text: '{"a": "one, "b": "two"}', value: { a: "one", b: "two" } },
    { text: '{"a": one",\n"b": two}', value: { a: "one", b: "two" } },
    { text: '{"a": "one\n"b": 2}', value: { a: "one", b: 2 } },
    { text: '{"a": """one "x"\ntwo""", "b": 2}', value: { a: 'one "x"\ntwo', b: 2 } },
    { text: "{“a”: “one”, ‘b’: 2}", value: { a: "one", b: 2 } },
    { text: '{"a": I see, well, "b": 2}', value: { a: "I see, well", b: 2 } },
    { text: '{"a": "x\\_y", "b": C:\\new}', value: { a: "x_y", b: "C:\new" } },
    { text: '{"a": "\\u12 \\u00e4",}', value: { a: "\\u12 ä" } },
    { text: '{"a": 007, "b": .5, "c": 1e3,}', value: { a: "007", b: 0.5, c: 1000 } },
    { text: '{"a": f(1, {2}, "x"), "b": 2}', value: { a: 'f(1, {2}, "x")', b: 2 } },
    { text: "{a: http://x.y/z?q=1, b: 2}", value: { a: "http://x.y/z?q=1", b: 2 } },
    { text: "{'a': ['x', 'y' 'z',], 'b': (1)}", value: { a: ["x", "y", "z"], b: "(1)" } },
  ])("$text", ({ text, value }) => {
    expect(readOutput(text)).toMatchObject({ found: true, value });
  });
});

function leaves(value: unknown): unknown[] {
  return typeof value === "object" && value !== null
    ? [...Object.keys(value).filter((key) => !/^\d+$/.test(key)), ...Object.values(value).flatMap(leaves)]
    : [value];
}

describe("a text that says two things", () => {
  const plan = (id: string) => `{"tasks": [{"task_id": "${id}"}]}`;
  const schema = { type: "object", properties: { tasks: { type: "array" } }, required: ["tasks"] };
  const sayIn = (text: string) => {
    const read = readOutput(text, { schema });
    return read.found ? (read.contradiction ?? "one") : "none";
  };

  test.for([
    { what: "two plans", text: `${plan("a")}\n\nOr better:\n${plan("b")}`, says: /two values of the same form/ },
    {
      what: "two plans, one of them broken",
      text: `${plan("a")} or {tasks: [{"task_id": "b",},]}`,
      says: /two values/,
    },
    {
      what: "two fences",
      text: `\`\`\`json\n${plan("a")}\n\`\`\`\n\`\`\`json\n${plan("b")}\n\`\`\``,
      says: /two values/,
    },
    { what: "a key twice", text: '{"tasks": [{"city": "Oslo", "city": "Rome"}]}', says: /key "city" is there twice/ },
    { what: "a key twice in broken JSON", text: '{"tasks": [{city: "Oslo", "city": "Rome"}]}', says: /key "city"/ },
    { what: "the same plan twice", text: `${plan("a")}\n${plan("a")}`, says: /^one$/ },
    { what: "the same value twice", text: '{"tasks": [{"city": "Oslo", "city": "Oslo"}]}', says: /^one$/ },
    { what: "the same key of two tasks", text: '{"tasks": [{"city": "Oslo"}, {"city": "Rome"}]}', says: /^one$/ },
    { what: "a draft in prose before a fence", text: `${plan("a")}\n\`\`\`json\n${plan("b")}\n\`\`\``, says: /^one$/ },
    { what: "something of another form", text: `{"note": "see below"}\n${plan("b")}`, says: /^one$/ },
    { what: "a plan that was thought", text: `<think>${plan("a")}</think>${plan("b")}`, says: /^one$/ },
  ])("$what: $says", ({ text, says }) => {
    expect(sayIn(text)).toMatch(says);
  });
});

test("NaN and Infinity are no numbers and not nothing: they stay as they were written, for validation to refuse", () => {
  expect(readOutput('{"limit": NaN, "rate": -Infinity}')).toMatchObject({
    value: { limit: "NaN", rate: "-Infinity" },
  });
});
