import { relative } from "node:path";
import { readFindings } from "./findings.ts";
import type { Mutant } from "./instrument.ts";

/**
 * Prints each change that no test noticed, and how many were noticed of each file. Changes of what runs only when a module is loaded
 * do not count: no switch is turned by then.
 * @returns how many of a hundred were noticed
 */
export function report(repository: string, mutants: readonly Mutant[], path: string): number {
  const noticed = new Set<string>();
  const seen = new Set<string>();
  for (const finding of readFindings(path)) {
    if ("killed" in finding) noticed.add(finding.killed);
    if ("survived" in finding) for (const id of finding.survived) seen.add(id);
  }
  const loaded = new Set(readFindings(path).flatMap((finding) => ("loaded" in finding ? finding.loaded : [])));
  const counted = mutants.filter(({ id }) => noticed.has(id) || seen.has(id) || !loaded.has(id));
  const files = [...new Set(counted.map(({ fileName }) => fileName))];
  for (const mutant of counted) {
    if (noticed.has(mutant.id)) continue;
    const { fileName, location, mutatorName, original, replacement } = mutant;
    const place = `${relative(repository, fileName)}:${location.start.line + 1}:${location.start.column + 1}`;
    const how = seen.has(mutant.id) ? "not noticed" : "no test comes by";
    process.stdout.write(`${place} ${mutatorName}, ${how}\n- ${original}\n+ ${replacement}\n`);
  }
  for (const fileName of files) {
    const own = counted.filter((mutant) => mutant.fileName === fileName);
    print(relative(repository, fileName), own.filter(({ id }) => noticed.has(id)).length, own.length);
  }
  return print("In all", counted.filter(({ id }) => noticed.has(id)).length, counted.length);
}

function print(what: string, noticed: number, of: number): number {
  const share = of === 0 ? 100 : (100 * noticed) / of;
  process.stdout.write(`${what}: ${noticed} of ${of} noticed, ${share.toFixed(1)} %\n`);
  return share;
}
