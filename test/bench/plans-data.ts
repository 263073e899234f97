import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { JsonSchema, PlanningContext } from "@planloom/plan";

/** A step of a plan in the benchmark's form; `dependsOn` holds positions. */
export interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly dependsOn: readonly number[];
  /** By argument: values that count as right; `""` among them: may be left out. */
  readonly accept?: Readonly<Record<string, readonly unknown[]>>;
}

export interface BenchTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

export interface Item {
  readonly id: string;
  readonly query: string;
  readonly tools: readonly BenchTool[];
  readonly gold: { readonly steps: readonly Step[] };
  /** What is scored. Absent: all three. */
  readonly scope?: readonly ("tools" | "edges" | "args")[];
  readonly context?: PlanningContext;
}

export interface DataSet {
  readonly name: string;
  readonly items: readonly Item[];
}

/** The sets of a folder, or the one of a file, by name. */
export function readSets(path: string): DataSet[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => /\.json(?:\.gz)?$/.test(name))
        .sort()
        .map((name) => join(path, name))
    : [path];
  return files.map((file) => ({
    name: basename(file).replace(/\.json(?:\.gz)?$/, ""),
    items: readJson(file) as readonly Item[],
  }));
}

export function readJson(file: string): unknown {
  const bytes = readFileSync(file);
  return JSON.parse((bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8"));
}

/** FNV-1a over the id: even items are worked on, odd ones only looked at. */
export function isHeldOut(id: string): boolean {
  let hash = 0x811c9dc5;
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return ((hash >>> 8) & 1) === 1;
}

/** The part of the half that is worked on, 0 or 1, by other bits of the id's hash than those that halve the sets. */
export function foldOf(id: string): 0 | 1 {
  let hash = 7;
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return ((hash >>> 4) & 1) as 0 | 1;
}
