import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { simulate, simulateAdaptive } from "@planloom/optimizer";
import { environmentOf, partitionOf, randomCase, viewOf } from "./dispatch-cases.ts";
import type { DispatchCase, Times } from "./dispatcher-of-the-page.ts";

/** What docs/optimizer/dispatch-vectors.json holds. */
export interface DispatchVectors {
  readonly format: "planloom-dispatch-vectors/1";
  readonly cases: readonly (DispatchCase & Times & { readonly makespanMs: number })[];
}

/** Written anew by `node test/optimizer/dispatch-vectors.ts`. */
export const vectorsFile = fileURLToPath(new URL("../../docs/optimizer/dispatch-vectors.json", import.meta.url));

export function simulated(given: DispatchCase): Times & { readonly makespanMs: number } {
  const { real, adaptive, work } = given;
  if (adaptive !== undefined) {
    const taken = Float64Array.from(real ?? work);
    const outcome = simulateAdaptive(viewOf(given), environmentOf(given), partitionOf(given), taken, adaptive);
    const { makespanMs, startMs, endMs, part } = outcome;
    return { startMs: [...startMs], endMs: [...endMs], ranIn: [...part], makespanMs };
  }
  const options = real === undefined ? {} : { work: Float64Array.from(real) };
  const { schedule, makespanMs } = simulate(viewOf(given), environmentOf(given), partitionOf(given), options);
  return { startMs: [...schedule.startMs], endMs: [...schedule.endMs], makespanMs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cases = [
    ...Array.from({ length: 250 }, (_, seed) => randomCase(seed, 4 + (seed % 12))),
    ...Array.from({ length: 50 }, (_, seed) => randomCase(seed, 4 + (seed % 12), ["machines"])),
    ...Array.from({ length: 30 }, (_, seed) => randomCase(seed, 4 + (seed % 12), ["rate"])),
    ...Array.from({ length: 60 }, (_, seed) => randomCase(seed, 4 + (seed % 12), ["pipelined"])),
    ...Array.from({ length: 60 }, (_, seed) => randomCase(seed, 4 + (seed % 12), ["adaptive"])),
  ];
  const lines = cases.map((each) => JSON.stringify({ ...each, ...simulated(each) }));
  await writeFile(vectorsFile, `{"format":"planloom-dispatch-vectors/1","cases":[\n${lines.join(",\n")}\n]}\n`);
}
