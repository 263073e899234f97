import { freightTools } from "@planloom/example-freight";
import { isRecord } from "@planloom/plan";
import { expect, test } from "vitest";

/** The words of the questions people ask of this example; a tool may use its own nouns only. */
const questions = `Get shipments from last week. Show me contaminated shipments that were rejected. Get facilities in Berlin.
  Get contaminated shipments and their contaminant details. Analyse today's contaminants in Hannover. Run custom analytics.
  Get facilities in Berlin, then their shipments, then check for contaminants. Show me this week's inspections. high-risk
  Contaminants detected today. Get shipments from October 1st to October 10th going to Hannover. Get inspections.
  Which carriers have the highest contamination rates? Get contaminated shipments from Berlin facilities near capacity.`;
/** Words without which no English can be written. */
const grammar = new Set(["or"]);

const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

function descriptions(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(descriptions);
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "description" && typeof value === "string" ? [value] : descriptions(value),
  );
}

test.for(freightTools.map((tool) => ({ tool })))(
  "$tool.id is described without the words of a question",
  ({ tool }) => {
    const noun = words(tool.id)[0] ?? "";
    const own = new Set([noun, noun.replace(/ies$/, "y").replace(/s$/, "")]);
    const asked = new Set(words(questions));
    const texts = [tool.description, ...descriptions(tool.input_schema), ...descriptions(tool.output_schema)];
    const shared = texts.flatMap(words).filter((word) => asked.has(word) && !own.has(word) && !grammar.has(word));
    expect(shared).toEqual([]);
  },
);
