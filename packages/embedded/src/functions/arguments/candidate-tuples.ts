import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isNumeric, isTextual, type ParameterReading } from "./parameter-reading.ts";

/**
 * "52.52, 13.405" for an object of a latitude and a longitude: numbers in a row, just as many as an object has fields that all hold
 * numbers, are its fields in their order.
 */
export function fromTuples({ tokens, spans }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const objects = new Map<string, ParameterReading[]>();
  for (const reading of readings) {
    const { path } = reading.parameter;
    if (path.length < 2) continue;
    const object = JSON.stringify(path.slice(0, -1));
    objects.set(object, [...(objects.get(object) ?? []), reading]);
  }
  return [...objects.values()].flatMap((fields) => {
    if (fields.length < 2 || !fields.every(({ parameter }) => isNumeric(parameter))) return [];
    const row = rowsOf(tokens).find((each) => each.length === fields.length);
    return (row ?? []).map((at, place): Candidate => {
      const token = tokens[at]!;
      return {
        group: "number",
        reading: fields[place]!,
        features: [["bias", 1]],
        // In a row the numbers can be nothing else; taken one by one they might.
        outright: 3 * explicitLogOdds,
        parts: [[at, at + 1]],
        spans: spans.filter((span) => span.from <= at && span.to > at),
        value: Number(token.value),
        said: token.text,
      };
    });
  });
}

/**
 * "52.4, 13.3, 52.5, 13.4" for a text that is described as numbers with commas between: written without spaces, as one value.
 */
export function fromNumbersInText({ tokens, spans }: Call, readings: readonly ParameterReading[]): Candidate[] {
  const takers = readings.filter(({ parameter }) => isTextual(parameter) && takesNumbers(parameter.description));
  if (takers.length === 0) return [];
  return rowsOf(tokens).flatMap((row) => {
    const [first, last] = [row[0]!, row.at(-1)!];
    const said = tokens.slice(first, last + 1).map(({ text }) => text.trim());
    // The first two of "5, 6 and 7" alone make no pair.
    if (row.length < 2 || isFurther(tokens, last + 1) || said.filter((text) => text === ",").length !== row.length - 1)
      return [];
    return takers.map(
      (reading): Candidate => ({
        group: "text",
        reading,
        features: [["bias", 1]],
        outright: 3 * explicitLogOdds,
        parts: [[first, last + 1]],
        spans: spans.filter((span) => span.from >= first && span.to <= last + 1),
        value: said.join(""),
        said: said.join(""),
      }),
    );
  });
}

const isFurther = (tokens: Call["tokens"], at: number) =>
  tokens.slice(at, at + 3).some(({ kind }) => kind === "number") && /^(?:,|and|or)$/.test(tokens[at]!.lower);

const takesNumbers = (description: string) =>
  /comma[- ]separated|-?\d+\.\d+, ?-?\d+\.\d+|\blat(?:itude)?, ?(?:lng|lon|long(?:itude)?)\b/i.test(description);

/** Positions of numbers that are in a row, with a comma or nothing between. */
function rowsOf(tokens: Call["tokens"]): number[][] {
  const rows: number[][] = [];
  tokens.forEach(({ kind }, at) => {
    if (kind !== "number") return;
    const last = rows.at(-1);
    const gap = last === undefined ? [] : tokens.slice(last.at(-1)! + 1, at);
    if (last !== undefined && gap.length <= 1 && gap.every(({ text }) => text === ",")) last.push(at);
    else rows.push([at]);
  });
  return rows;
}
