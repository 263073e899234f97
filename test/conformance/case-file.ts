import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** One line of a case file. */
export interface Case {
  readonly id: string;
  readonly seed: string;
  readonly feature: string;
  readonly input: unknown;
  readonly expected: unknown;
  /** `match`: reproduce; `improve`, `conflict`: decided by us. */
  readonly stance: "match" | "improve" | "conflict";
  readonly note?: string;
}

/** A path, a file or a case that cannot be used; the message says which and what was expected. */
export class CaseFileError extends Error {
  override readonly name = "CaseFileError";
}

/** Reads every case in the files and, of folders, in every `.json` file below them, sorted by path. */
export async function readCases(paths: readonly string[]): Promise<Case[]> {
  const cases: Case[] = [];
  for (const path of paths) {
    for (const file of await caseFiles(path)) cases.push(...parse(file, await readFile(file, "utf8")));
  }
  return cases;
}

async function caseFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new CaseFileError(`Expected a case file or a folder of them, but ${path} cannot be read.`, { cause });
  });
  if (!found.isDirectory()) return [path];
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => join(path, name));
}

function parse(file: string, text: string): Case[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CaseFileError(`Expected ${file} to hold a JSON array of cases: ${(cause as Error).message}.`, { cause });
  }
  if (!Array.isArray(value)) throw new CaseFileError(`Expected ${file} to hold a JSON array of cases.`);
  return value.map((item, at) => {
    const { id, seed, feature, stance } = Object(item) as Partial<Record<keyof Case, unknown>>;
    if ([id, seed, feature].some((field) => typeof field !== "string") || !("expected" in item)) {
      throw new CaseFileError(`Expected case ${at} of ${file} to have the texts id, seed and feature, and expected.`);
    }
    return { ...item, stance: stance === "improve" || stance === "conflict" ? stance : "match" } as Case;
  });
}
