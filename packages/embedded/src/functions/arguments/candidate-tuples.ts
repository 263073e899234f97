import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { isNumeric, type ParameterReading } from "./parameter-reading.ts";

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
