import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { makeFolder } from "@planloom/plan";
import type { z } from "zod";

/** Records kept in a file, one JSON line each, so that an interrupted run continues where it stopped. */
export interface BenchJournal<Entry> {
  readonly kept: ReadonlyMap<string, Entry>;
  append(entry: Entry): Promise<void>;
  /** Notes what an entry is by now; `rewrite` puts it into the file. */
  replace(entry: Entry): void;
  /** Rewrites the file if entries were replaced, at once: a reader sees the old file or the new one. */
  rewrite(): Promise<void>;
}

/** Opens or begins a journal. Lines that are not such records are left out: a line that was cut off while it was written, or one of an older form. */
export async function openJournal<Entry extends { readonly key: string }>(
  file: string,
  schema: z.ZodType<Entry>,
): Promise<BenchJournal<Entry>> {
  await makeFolder(dirname(file));
  const kept = new Map<string, Entry>();
  const text = await readOrEmpty(file);
  for (const line of text.split("\n")) {
    const read = schema.safeParse(parsed(line));
    if (read.success) kept.set(read.data.key, read.data);
  }
  let replaced = false;
  // What was being written when the process was killed stays a line of its own.
  let separator = text === "" || text.endsWith("\n") ? "" : "\n";
  return {
    kept,
    async append(entry) {
      const line = `${separator}${JSON.stringify(entry)}\n`;
      separator = "";
      await appendFile(file, line);
      kept.set(entry.key, entry);
    },
    replace(entry) {
      const before = kept.get(entry.key);
      if (before === undefined || isDeepStrictEqual(before, entry)) return;
      kept.set(entry.key, entry);
      replaced = true;
    },
    async rewrite() {
      if (!replaced) return;
      const beside = `${file}.new`;
      await writeFile(beside, [...kept.values()].map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      await rename(beside, file);
      replaced = false;
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

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
