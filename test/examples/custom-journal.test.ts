import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { journalContract } from "planloom/testing";
import { describe, expect, test } from "vitest";
import { DocumentJournal, type DocumentStore } from "../../examples/custom-journal/src/document-journal.ts";
import { memoryStore } from "../../examples/custom-journal/src/memory-store.ts";

describe("the journal of docs/custom-journals.md keeps the contract", () => {
  const stores = new Map<string, DocumentStore>();
  let number = 0;
  const open = (name: string) => {
    const store = stores.get(name) ?? memoryStore();
    stores.set(name, store);
    return new DocumentJournal(name, store);
  };
  const cases = journalContract({
    create: () => open(`store-${++number}`),
    another: (journal) => open(journal.name),
  });
  for (const { name, run } of cases) test(name, run);
});

test("its program runs", async () => {
  const main = fileURLToPath(new URL("../../examples/custom-journal/src/main.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main]);
  expect(stdout).toContain("order-47: completed, 2 tasks");
});
