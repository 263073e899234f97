import type { JsonSchema, Resource } from "@planloom/plan";
import { describe, expect, test } from "vitest";
import { callsOf } from "./calls-of.ts";

/** A dovecote whose tool takes what `schema` says. */
function dovecote(properties: Readonly<Record<string, JsonSchema>>, definitions: object = {}): Resource[] {
  const input_schema = { type: "object", properties, required: ["dovecote"], $defs: definitions } as JsonSchema;
  return [
    {
      kind: "tool",
      id: "count_doves",
      name: "count_doves",
      description: "Count the doves of a dovecote",
      input_schema,
    },
    {
      kind: "tool",
      id: "list_dovecotes",
      name: "list_dovecotes",
      description: "List the dovecotes",
      input_schema: { type: "object", properties: {} },
    },
  ];
}

const named = { type: "string", description: "Name of the dovecote" } as const;
const colour = { type: "string", enum: ["white", "grey", "brown"], description: "Only doves of this colour" } as const;
const rings = {
  type: "array",
  items: { type: "string" },
  description: "Rings that the doves wear, by their ids",
} as const;
const perch = {
  type: "object",
  properties: { row: { type: "integer", description: "Row of the perch" } },
  description: "Where the doves sit",
} as const;
const goal = "Count the white doves of the dovecote 'Hill' with the rings 'R-1' and 'R-2' in row 4";
const plain = { dovecote: named, colour, rings, perch };
const expected = callsOf(goal, dovecote(plain));

test("the plain schema is read", () => {
  expect(expected).toEqual([
    ["count_doves", { dovecote: "Hill", colour: "white", rings: ["R-1", "R-2"], perch: { row: 4 } }],
  ]);
});

/** What is said of a property, and what its values are. */
const split = ({ description, ...values }: { readonly description: string }) => ({ said: { description }, values });
const orNull = (property: { readonly description: string }) => {
  const { said, values } = split(property);
  return { anyOf: [values, { type: "null" }], default: null, ...said } as JsonSchema;
};

describe("a schema that says the same in a roundabout way makes the same plan", () => {
  test.each<[name: string, properties: Readonly<Record<string, JsonSchema>>, definitions?: object]>([
    ["anyOf with null", { ...plain, colour: orNull(colour), rings: orNull(rings), perch: orNull(perch) }],
    [
      "types with null",
      { ...plain, rings: { ...rings, type: ["array", "null"] }, perch: { ...perch, type: ["object", "null"] } },
    ],
    [
      "allowed values one by one",
      {
        ...plain,
        colour: {
          description: colour.description,
          anyOf: colour.enum.map((value) => ({ const: value })),
        } as JsonSchema,
      },
    ],
    [
      "allowed values one by one, or null",
      {
        ...plain,
        colour: {
          description: colour.description,
          oneOf: [...colour.enum.map((value) => ({ const: value, type: "string" })), { type: "null" }],
        } as JsonSchema,
      },
    ],
    [
      "an allOf of one reference",
      { ...plain, colour: { allOf: [{ $ref: "#/$defs/Colour" }], description: colour.description } as JsonSchema },
      { Colour: split(colour).values },
    ],
    [
      "a reference or null",
      {
        ...plain,
        perch: { anyOf: [{ $ref: "#/$defs/Perch" }, { type: "null" }], description: perch.description } as JsonSchema,
      },
      { Perch: split(perch).values },
    ],
  ])("%s", (_, properties, definitions) => {
    expect(callsOf(goal, dovecote(properties, definitions))).toEqual(expected);
  });

  test("a constant is an allowed value", () => {
    const only = { ...plain, colour: { const: "white", description: colour.description } as JsonSchema };
    expect(callsOf("Count the white doves of the dovecote 'Hill'", dovecote(only))).toEqual([
      ["count_doves", { dovecote: "Hill", colour: "white" }],
    ]);
  });

  test("the object beside a bare text and an object of any fields is read field by field, also in a list", () => {
    const anything = { type: "object", additionalProperties: true };
    const body = { type: "string", description: "The content of the remark" };
    const part = {
      type: "object",
      properties: { text: { type: "object", properties: { content: body }, required: ["content"] } },
      required: ["text"],
    };
    const within = {
      type: "object",
      properties: { nest_id: { type: "string", description: "the nest ID" } },
      required: ["nest_id"],
    };
    const remark = {
      kind: "tool",
      id: "create_remark",
      description: "Create a remark",
      input_schema: {
        type: "object",
        properties: {
          parent: { anyOf: [within, { type: "string" }] },
          parts: { type: "array", items: { anyOf: [part, { type: "string" }, anything] } },
        },
        required: ["parent", "parts"],
      } as JsonSchema,
    } as const;
    expect(callsOf('Add a remark "Looks warm" to the nest n-77', [remark, ...dovecote(plain)])).toEqual([
      ["create_remark", { parent: { nest_id: "n-77" }, parts: [{ text: { content: "Looks warm" } }] }],
    ]);
  });

  test("a schema that refers to itself ends", () => {
    const endless = { ...plain, perch: { $ref: "#/$defs/Perch" } as JsonSchema };
    const definitions = { Perch: { anyOf: [{ $ref: "#/$defs/Perch" }, { type: "null" }] } };
    expect(callsOf("Count the doves of the dovecote 'Hill'", dovecote(endless, definitions))).toEqual([
      ["count_doves", { dovecote: "Hill" }],
    ]);
  });
});
