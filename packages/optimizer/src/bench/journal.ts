import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { BenchRow } from "./row.ts";

/** Rows kept in a file, one JSON line each, so that a run that was cut off goes on where it stopped. */
export interface BenchJournal {
  readonly rows: ReadonlyMap<string, BenchRow>;
  append(rows: readonly BenchRow[]): Promise<void>;
}

/** Opens or begins a journal. A last line that was cut off in writing is left out. */
export async function openJournal(file: string): Promise<BenchJournal> {
  await mkdir(dirname(file), { recursive: true });
  const rows = new Map<string, BenchRow>();
  for (const line of (await readOrEmpty(file)).split("\n")) {
    const row = parsed(line);
    if (row !== undefined) rows.set(row.key, row);
  }
  return {
    rows,
    async append(more) {
      await appendFile(file, more.map((row) => `${JSON.stringify(row)}\n`).join(""));
    },
  };
}

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

function parsed(line: string): BenchRow | undefined {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === "object" && row !== null && "key" in row ? (row as BenchRow) : undefined;
  } catch {
    return undefined;
  }
}
