import { appendFile, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "@planloom/plan";
import type { z } from "zod";

/** Records kept in a file, one JSON line each, so that an interrupted run continues where it stopped. */
export interface BenchJournal<Entry> {
  readonly kept: ReadonlyMap<string, Entry>;
  append(entry: Entry): Promise<void>;
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
  // What was being written when the process was killed stays a line of its own.
  let separator = text === "" || text.endsWith("\n") ? "" : "\n";
  return {
    kept,
    async append(entry) {
      const line = `${separator}${JSON.stringify(entry)}\n`;
      separator = "";
      await appendFile(file, line);
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
