import { describe, expect, test } from "vitest";
import { randomFrom } from "../embedded/exact-calls.ts";
import { compositionsOf } from "./relations/compositions.ts";
import { distractorsOf } from "./relations/distractors.ts";
import { measureRelations } from "./relations/measure-relations.ts";
import { otherValuesOf } from "./relations/other-values.ts";
import { changeOf, type RelatedCase, type RelatedTool } from "./relations/relation.ts";
import { renamingsOf } from "./relations/renamings.ts";
import { rewrittenSchemasOf } from "./relations/rewritten-schemas.ts";
import { wordingsOf } from "./relations/wordings.ts";

const harbour: readonly RelatedTool[] = [
  {
    server: "quay",
    name: "list_berths",
    description: "List berths of a harbour",
    inputSchema: {
      type: "object",
      properties: {
        harbour_id: { type: "string", description: "ID of the harbour" },
        sort: { type: "string", enum: ["depth", "name"] },
      },
      required: ["harbour_id"],
    },
  },
  {
    server: "quay",
    name: "close_berth",
    description: "Close a berth",
    inputSchema: { type: "object", properties: { berth_id: { type: "string" } }, required: ["berth_id"] },
  },
];
const bakery: readonly RelatedTool[] = Array.from({ length: 12 }, (_, at) => ({
  server: "oven",
  name: `bake_loaf_${at}`,
  description: "Bake a loaf of rye",
}));

const listing: RelatedCase = {
  id: "listing",
  query: "List the berths of harbour HB-31",
  tools: harbour,
  calls: [{ tool: "list_berths", args: { harbour_id: "HB-31" } }],
  values: [{ call: 0, argument: "harbour_id", start: 27, text: "HB-31" }],
};
const closing: RelatedCase = {
  id: "closing",
  query: "Close berth B-7",
  tools: harbour,
  calls: [{ tool: "close_berth", args: { berth_id: "B-7" } }],
  values: [{ call: 0, argument: "berth_id", start: 12, text: "B-7" }],
};
const random = () => randomFrom(5);
const formsOf = (variants: readonly { readonly form: string; readonly query: string }[]) =>
  Object.fromEntries(variants.map(({ form, query }) => [form, query]));

describe("changes of plans", () => {
  const [call] = listing.calls;
  const other = { tool: "close_berth", args: {} };
  test.each([
    ["none", [call!, other], [other, call!]],
    ["lost call", [call!, other], [call!]],
    ["added call", [call!], [call!, other]],
    ["other tool", [call!], [other]],
    ["other argument", [call!], [{ ...call!, args: { harbour_id: "HB-32" } }]],
  ] as const)("%s", (change, expected, planned) => {
    expect(changeOf(expected, planned)).toBe(change);
  });
});

test("two requests are joined in seven forms, and both calls are expected", () => {
  const variants = compositionsOf(listing, closing);
  expect(formsOf(variants)).toMatchObject({
    "composition: A, then B": "List the berths of harbour HB-31, then close berth B-7",
    "composition: B after A": "Close berth B-7 after you list the berths of harbour HB-31",
    "composition: A. B.": "List the berths of harbour HB-31. Close berth B-7.",
  });
  expect(variants).toHaveLength(7);
  for (const { calls } of variants) expect(calls).toEqual([...listing.calls, ...closing.calls]);
});

test("a request that points back at another one is joined with none", () => {
  expect(compositionsOf(listing, { ...closing, query: "Close it again" })).toEqual([]);
});

test("tools are added that have nothing to do with the goal, and one is taken away that is not called", () => {
  const variants = distractorsOf(listing, [...harbour, ...bakery], random());
  const sizes = Object.fromEntries(variants.map(({ form, tools }) => [form, tools.length]));
  expect(sizes).toMatchObject({ "distractors: 10 more": 12, "distractors: one unused gone": 1 });
  for (const { tools } of variants) expect(tools.map(({ name }) => name)).toContain("list_berths");
});

test("names of tools and parameters are written otherwise, and expected so", () => {
  const variants = renamingsOf(listing);
  const calls = Object.fromEntries(variants.map((variant) => [variant.form, variant.calls[0]]));
  expect(calls).toMatchObject({
    "names: mcp__server__ before": { tool: "mcp__quay__list_berths" },
    "names: camelCase": { tool: "listBerths" },
    "names: parameters camelCase": { args: { harbourId: "HB-31" } },
  });
  const camel = variants.find(({ form }) => form === "names: parameters camelCase")?.tools[0]?.inputSchema;
  expect(camel).toMatchObject({ properties: { harbourId: {} }, required: ["harbourId"] });
});

test("schemas are rewritten to others that mean the same", () => {
  const forms = Object.fromEntries(
    rewrittenSchemasOf(listing, random()).map(({ form, tools }) => [form, tools[0]?.inputSchema]),
  );
  expect(forms["schemas: anyOf with null"]).toMatchObject({
    properties: { harbour_id: { type: "string" }, sort: { anyOf: [{ enum: ["depth", "name"] }, { type: "null" }] } },
  });
  expect(forms["schemas: allowed values as const"]).toMatchObject({
    properties: { sort: { anyOf: [{ const: "depth" }, { const: "name" }] } },
  });
  expect(forms["schemas: $ref to $defs"]).toMatchObject({
    properties: { sort: { $ref: "#/$defs/Sort" } },
    $defs: { Sort: { enum: ["depth", "name"] } },
  });
});

test("a value is replaced by another one of its shape, in the goal and in the call", () => {
  const [variant] = otherValuesOf(listing, random());
  const said = String(variant?.calls[0]?.args.harbour_id);
  expect(said).toMatch(/^HB-\d\d$/);
  expect(said).not.toBe("HB-31");
  expect(variant?.query).toBe(`List the berths of harbour ${said}`);
});

test("a goal is written and said otherwise, with its values as they are", () => {
  const forms = formsOf(wordingsOf(listing, random()));
  expect(forms).toMatchObject({
    "writing: no capitals": "list the berths of harbour HB-31",
    "writing: line breaks": "List the berths\nof harbour HB-31",
    "person: I need …": "I need the berths of harbour HB-31",
    "person: what are …?": "What are the berths of harbour HB-31?",
    "person: a noun phrase": "The berths of harbour HB-31",
  });
  const typo = forms["writing: typo: letter left out"];
  expect(typo).toHaveLength(listing.query.length - 1);
  expect(typo).toContain("HB-31");
});

test("the same goals give the same comparisons", () => {
  const goals = [listing, closing].map(({ id, query, tools }) => ({ id, query, tools }));
  const run = () => [...measureRelations(goals, (form) => form.startsWith("writing"))];
  expect(run().length).toBeGreaterThan(0);
  expect(run()).toEqual(run());
});
