import { existsSync, readFileSync } from "node:fs";

/** One line of what a process found out. */
export type Finding =
  /** The test fails with this change. */
  | { readonly killed: string; readonly test: string; readonly error: string }
  /** The test comes by these changes and does not notice them. */
  | { readonly test: string; readonly survived: readonly string[] }
  /** Changes of what ran while modules were loaded. */
  | { readonly loaded: readonly string[] }
  /** The test failed with this change, and then without it. */
  | { readonly suspect: string };

export function readFindings(path: string): Finding[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Finding);
}
