import { planSchema, readOutput, TaskStreamReader } from "@planloom/controller";
import { attacks } from "../support/broken-output.ts";
import { leastCpuMs } from "../support/cpu-time.ts";
import { mutateText, randomFrom } from "../support/mutate-text.ts";
import { inventedTexts, modelTexts, offeredTools } from "../support/output-texts.ts";
import { markdownTable } from "./report.ts";

const schema = planSchema(offeredTools.map((id) => ({ kind: "tool" as const, id, name: id, description: "" })));
const sizes = [250_000, 1_000_000];

export interface AttackTime {
  readonly family: string;
  readonly characters: number;
  /** Milliseconds of processor time: the least of five. */
  readonly reader: number;
  readonly stream: number;
}

/** Reads each family of hostile texts whole, and piece by piece as a stream. */
export function timeAttacks(): AttackTime[] {
  for (const text of modelTexts) readOutput(text, { schema });
  return Object.entries(attacks).flatMap(([family, make]) =>
    sizes.map((size) => {
      const text = make(size);
      const pieces = text.match(/[\s\S]{1,64}/g) ?? [];
      return {
        family,
        characters: text.length,
        reader: leastCpuMs(() => readOutput(text, { schema, prefer: ["tasks"] })),
        stream: leastCpuMs(() => {
          const reader = new TaskStreamReader();
          for (const piece of pieces) reader.push(piece);
        }),
      };
    }),
  );
}

export function attackTable(times: readonly AttackTime[]): string {
  const rows = Object.keys(attacks).map((family) => {
    const own = times.filter((time) => time.family === family);
    const [small, large] = own;
    const cell = (milliseconds = 0) => Math.round(milliseconds);
    return {
      family,
      "250 KB, ms": cell(small?.reader),
      "1 MB, ms": cell(large?.reader),
      "stream 250 KB, ms": cell(small?.stream),
      "stream 1 MB, ms": cell(large?.stream),
    };
  });
  return markdownTable(rows);
}

export interface MutationReport {
  readonly mutations: number;
  readonly seed: number;
  /** Texts in which a value was found. */
  readonly found: number;
  readonly thrown: readonly { readonly text: string; readonly error: string }[];
  /** Texts of which a value has a string that does not stand in them. */
  readonly invented: readonly { readonly text: string; readonly strings: readonly string[] }[];
  readonly slowestMs: number;
  /** Characters of the one that took longest. */
  readonly slowestLength: number;
  readonly seconds: number;
}

const kept = 20;

/** Reads `count` mutations of real or built-in texts; every one must give a value or issues, and no string of its own making. */
export function readMutations(count: number, seed: number, texts: readonly string[] = modelTexts): MutationReport {
  const random = randomFrom(seed);
  const thrown: { text: string; error: string }[] = [];
  const invented: { text: string; strings: string[] }[] = [];
  let found = 0;
  let slowestMs = 0;
  let slowestLength = 0;
  const began = performance.now();
  for (let index = 0; index < count; index += 1) {
    const text = mutateText(texts, random);
    const before = performance.now();
    try {
      const output = readOutput(text, index % 2 === 0 ? { schema, prefer: ["tasks"] } : {});
      const took = performance.now() - before;
      if (took > slowestMs) [slowestMs, slowestLength] = [took, text.length];
      if (!output.found) continue;
      found += 1;
      const strings = inventedTexts(text, output.value);
      if (strings.length > 0 && invented.length < kept) invented.push({ text, strings });
    } catch (error) {
      if (thrown.length < kept) thrown.push({ text, error: String(error) });
    }
  }
  return {
    mutations: count,
    seed,
    found,
    thrown,
    invented,
    slowestMs,
    slowestLength,
    seconds: (performance.now() - began) / 1_000,
  };
}
