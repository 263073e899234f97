import type { Journal } from "@planloom/runtime";

export { owner, record, storedRun } from "../../packages/planloom/src/testing/journal/samples.ts";

/** What a test of a store gives: an empty journal, and another view of the same store (another process's, say). */
export interface JournalUnderTest {
  readonly journal: Journal;
  another(): Promise<Journal>;
  dispose(): Promise<void>;
}
