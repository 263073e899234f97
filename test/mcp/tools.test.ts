import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findDuplicateKey } from "../../packages/mcp/src/config/duplicate-key.ts";
import { expandEnvironment } from "../../packages/mcp/src/config/expand-environment.ts";
import { isServerName } from "../../packages/mcp/src/config/mcp-config.ts";
import { printable } from "../../packages/mcp/src/log.ts";
import { contentOutput } from "../../packages/mcp/src/tools/content-output.ts";
import { unwrapSchema } from "../../packages/mcp/src/tools/unwrap-schema.ts";
import { MessageLines, type OversizedLine } from "../../packages/mcp/src/transport/message-lines.ts";
import { oversizedId } from "../../packages/mcp/src/transport/oversized-reply.ts";
import { anyText } from "../support/any-text.ts";

describe("unwrapSchema", () => {
  const list = { type: "array", items: { type: "string" } };
  const wrap = (result: unknown, more = {}) => ({
    type: "object",
    properties: { result },
    required: ["result"],
    ...more,
  });
  test.for([
    { name: "a list", schema: wrap(list), inner: list },
    { name: "a number", schema: wrap({ type: "number" }, { title: "countOutput" }), inner: { type: "number" } },
    {
      name: "a union with definitions",
      schema: wrap({ anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] }, { $defs: { A: { type: "string" } } }),
      inner: { $defs: { A: { type: "string" } }, anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] },
    },
    {
      name: "a recursive list, its pointers moved",
      schema: wrap({ type: "array", items: { $ref: "#/properties/result" }, const: { $ref: "#/properties/result" } }),
      inner: { type: "array", items: { $ref: "#" }, const: { $ref: "#/properties/result" } },
    },
    {
      name: "an object that carries the mark",
      schema: wrap({ type: "object" }, { "x-fastmcp-wrap-result": true }),
      inner: { type: "object" },
    },
    { name: "an object of its own", schema: wrap({ type: "object" }), inner: undefined },
    {
      name: "two properties",
      schema: { type: "object", properties: { result: list, n: {} }, required: ["result"] },
      inner: undefined,
    },
    { name: "an optional result", schema: { type: "object", properties: { result: list } }, inner: undefined },
    { name: "a list by itself", schema: list, inner: undefined },
    { name: "anything", schema: true, inner: undefined },
  ])("$name", ({ schema, inner }) => {
    expect(unwrapSchema(schema)).toEqual(inner);
  });
});

describe("contentOutput", () => {
  const text = (value: string) => ({ type: "text" as const, text: value });
  test.for([
    { content: [], output: null },
    { content: [text("")], output: "" },
    { content: [text(' {"a": 1} ')], output: { a: 1 } },
    { content: [text("[1,"), text("2]")], output: [1, 2] },
    { content: [text("{not json}")], output: "{not json}" },
    { content: [text("42")], output: "42" },
    { content: [text("null")], output: "null" },
  ])("$content is $output", ({ content, output }) => {
    expect(contentOutput(content)).toEqual(output);
  });
  test("any JSON object survives", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.stringify(contentOutput([text(json)]))).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });
});

describe("expandEnvironment", () => {
  const environment = { A: "one", EMPTY: "", TRICK: "${A}" };
  test.for([
    { text: "x ${A} y", expanded: "x one y" },
    { text: "${EMPTY}|${EMPTY:-two}", expanded: "|two" },
    { text: "${NONE:-}", expanded: "" },
    { text: "$${A} $A {A}", expanded: "${A} $A {A}" },
    { text: "${TRICK}", expanded: "${A}" },
    { text: "${NONE}", expanded: { missing: "NONE" } },
    { text: "${constructor}", expanded: { missing: "constructor" } },
  ])("$text", ({ text, expanded }) => {
    expect(expandEnvironment(text, environment)).toEqual(expanded);
  });
});

describe("findDuplicateKey", () => {
  test.for([
    { text: '{"m": {"a": 1, "b": 2}}', found: undefined },
    { text: '{"m": {"a": 1,\n "\\u0061": 2}}', found: { key: "a", line: 2 } },
    { text: '{"m": {"a": {"x": 1, "x": 2}, "b": ["a", {"a": 1}, "a"]}, "n": {"a": 1, "a": 2}}', found: undefined },
    { text: '{"m": {"a": "{\\"a\\": [", "c": ":", "a": 2}}', found: { key: "a", line: 1 } },
  ])("$text", ({ text, found }) => {
    expect(findDuplicateKey(text, ["m"])).toEqual(found);
  });
  test("an object without duplicates has none", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (m) => {
        expect(findDuplicateKey(JSON.stringify({ m }), ["m"])).toBeUndefined();
      }),
    );
  });
});

describe("MessageLines", () => {
  const read = (bytes: Buffer, cuts: readonly number[], maxBytes: number) => {
    const lines: string[] = [];
    const oversized: OversizedLine[] = [];
    const reader = new MessageLines(
      maxBytes,
      (line) => lines.push(line),
      (line) => oversized.push(line),
    );
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    for (let index = 1; index < places.length; index++) reader.push(bytes.subarray(places[index - 1], places[index]));
    return { lines, oversized };
  };
  const word = fc.stringMatching(/^[a-zäß€]{0,40}$/);

  test("gives the same lines however the bytes are cut, the long ones by their ends", () => {
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.nat()), fc.integer({ min: 1, max: 60 }), (words, cuts, maxBytes) => {
        const { lines, oversized } = read(Buffer.from(words.map((line) => `${line}\n`).join("")), cuts, maxBytes);
        const fits = (line: string) => Buffer.byteLength(line) <= maxBytes;
        expect(lines).toEqual(words.filter((line) => line !== "" && fits(line)));
        expect(oversized.map(({ head }) => head)).toEqual(words.filter((line) => !fits(line)));
        expect(oversized.map(({ tail }) => tail)).toEqual(words.filter((line) => !fits(line)));
      }),
    );
  });

  test.for([
    { message: { jsonrpc: "2.0", id: 7, result: { text: "x".repeat(2_000) } }, id: 7 },
    { message: { result: { text: "x".repeat(2_000) }, jsonrpc: "2.0", id: 8 }, id: 8 },
    {
      message: { jsonrpc: "2.0", method: "notifications/message", params: { data: "x".repeat(2_000) } },
      id: undefined,
    },
  ])("the request that $id answers is known by its ends", ({ message, id }) => {
    const { lines, oversized } = read(Buffer.from(`${JSON.stringify(message)}\n{"id":1}\n`), [700, 1_500], 1_000);
    expect(lines).toEqual(['{"id":1}']);
    expect(oversizedId(oversized[0]!)).toBe(id);
  });
});

test.for([
  { name: "freight", good: true },
  { name: "My Server 2", good: true },
  { name: "", good: false },
  { name: " a", good: false },
  { name: "a/b", good: false },
  { name: "a\nb", good: false },
  { name: "toString", good: false },
  { name: "x".repeat(65), good: false },
])("server name $name: $good", ({ name, good }) => {
  expect(isServerName(name)).toBe(good);
});

test("printable text holds no terminal codes and is cut", () => {
  expect(printable("\u001b[31mred\u001b[0m\u0007\r\n\tnext\u0000 ")).toBe("red\n\tnext");
  expect(printable("x".repeat(5_000))).toHaveLength(2_001);
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(printable(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
    }),
  );
});
