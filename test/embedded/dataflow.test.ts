import { planGoal } from "@planloom/embedded";
import type { JsonSchema, Resource } from "@planloom/plan";
import { expect, test } from "vitest";
import { stepsOf } from "../support/plan-steps.ts";

const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "number" };
const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: "object",
  properties,
  required,
});
const tool = (id: string, description: string, input: JsonSchema, output: JsonSchema): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: input,
  output_schema: output,
});

/** Functions rather than lists: what one returns is another's argument by its name or by its place in the sentence. */
const functions: readonly Resource[] = [
  tool(
    "calculate_profit",
    "Calculate the profit.",
    object({ revenue: number, expenses: number }),
    object({ profit: number }),
  ),
  tool(
    "convert_currency",
    "Convert an amount into another currency.",
    object({ amount: number, from_currency: text, to_currency: text }),
    object({ converted: number }),
  ),
  tool(
    "find_lyrics",
    "Find the lyrics of a song.",
    object({ title: text, artist: text }, ["title"]),
    object({ lyrics: text }),
  ),
  tool(
    "translate_text",
    "Translate a text.",
    object({ text, source_language: text, target_language: text }, ["text", "target_language"]),
    object({ translated_text: text }),
  ),
  tool(
    "send_sms",
    "Send a text message to a phone.",
    object({ phone_number: text, message: text }),
    object({ sent: { type: "boolean" } }),
  ),
  tool(
    "calculate_route",
    "Calculate a route through places.",
    object({ places: { type: "array", items: text }, mode: text }, ["places"]),
    object({ distance: number, hours: number }),
  ),
  tool("estimate_fuel", "Estimate the fuel for a distance.", object({ distance: number }), object({ litres: number })),
];

test.for<{ goal: string; steps: readonly (readonly [tool: string, params: object])[] }>([
  {
    goal: "Calculate the profit for a revenue of 7000 and expenses of 5000, then convert the profit from USD to EUR",
    steps: [
      ["calculate_profit", { revenue: 7000, expenses: 5000 }],
      ["convert_currency", { amount: "${step[0].profit}", from_currency: "USD", to_currency: "EUR" }],
    ],
  },
  {
    goal: "Find the lyrics of 'Halo' by Beyoncé, translate the lyrics into French and send the translated text to +49 30 123456",
    steps: [
      ["find_lyrics", { title: "Halo", artist: "Beyoncé" }],
      ["translate_text", { text: "${step[0].lyrics}", target_language: "French" }],
      ["send_sms", { phone_number: "+49 30 123456", message: "${step[1].translated_text}" }],
    ],
  },
  {
    goal: "Calculate a route through 'Oslo', 'Bergen' and 'Tromso'. Then estimate the fuel.",
    steps: [
      ["calculate_route", { places: ["Oslo", "Bergen", "Tromso"] }],
      ["estimate_fuel", { distance: "${step[0].distance}" }],
    ],
  },
  {
    goal: "Translate 'good morning' from English to Spanish and translate 'good night' to Italian",
    steps: [
      ["translate_text", { text: "good morning", source_language: "English", target_language: "Spanish" }],
      ["translate_text", { text: "good night", source_language: "English", target_language: "Italian" }],
    ],
  },
])("$goal", ({ goal, steps }) => {
  const { plan } = planGoal(goal, functions, { now: "2025-10-12T06:00:00Z", timeZone: "UTC" });
  expect(stepsOf(plan.planned_tasks).map(({ tool: id, params }) => [id, params])).toEqual(steps);
});
