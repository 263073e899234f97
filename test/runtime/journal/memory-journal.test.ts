import { memoryJournal } from "@planloom/runtime";
import { journalContract } from "../../contract/journal.ts";

journalContract("memory", async () => {
  const journal = memoryJournal({ events: true });
  return { journal, another: async () => journal, dispose: () => journal.close() };
});
