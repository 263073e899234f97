import { fail } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import type { Journal } from "@planloom/runtime";
import type { ContractCase } from "./executor-contract.ts";
import { insideRunChecks } from "./journal/inside-run.ts";
import { leaseChecks } from "./journal/leases.ts";
import { listChecks } from "./journal/listing.ts";
import { optionalChecks } from "./journal/optional.ts";
import { recordChecks } from "./journal/records.ts";
import { runChecks } from "./journal/runs.ts";
import { waitChecks } from "./journal/waits.ts";

/** A journal, and how a test comes by an empty one. */
export interface JournalSubject {
  /** How long a case may take, in milliseconds: a journal that never answers fails it. @default 30_000 */
  readonly limitMs?: number;
  /** A new, empty journal for each case. */
  create(): Journal | Promise<Journal>;
  /** Another view of the same store, as another process has one: a second connection, say. @default the journal itself */
  another?(journal: Journal): Journal | Promise<Journal>;
  /** Ends what `create` and `another` opened for this journal. @default its `close` is called */
  dispose?(journal: Journal): void | Promise<void>;
}

/**
 * What the runtime relies on in a journal, as cases for any test framework:
 *
 * `for (const { name, run } of journalContract({ create })) test(name, run);`
 *
 * Each case has a journal of its own. Methods that a journal may leave out are checked where they are there. What only a crash, a power
 * failure or a full disk shows is not checked.
 */
export function journalContract(subject: JournalSubject): ContractCase[] {
  const checks = [
    ...runChecks,
    ...recordChecks,
    ...leaseChecks,
    ...listChecks,
    ...optionalChecks,
    ...waitChecks,
    ...insideRunChecks,
  ];
  return checks.map(([name, check]) => ({
    name,
    async run() {
      const journal = await subject.create();
      const limitMs = subject.limitMs ?? 30_000;
      const ended = new AbortController();
      const late = sleep(limitMs, undefined, { signal: ended.signal }).then(() =>
        fail(`Expected the journal to answer, it has not within ${limitMs} ms.`),
      );
      late.catch(() => {});
      try {
        const another = async () => (await subject.another?.(journal)) ?? journal;
        await Promise.race([check({ journal, another }), late]);
      } catch (thrown) {
        // What a test reports must say what was wrong, for anything that the journal throws.
        throw thrown instanceof Error ? thrown : new Error(`Expected an Error, but it threw ${inspect(thrown)}.`);
      } finally {
        ended.abort();
        if (subject.dispose === undefined) await journal.close();
        else await subject.dispose(journal);
      }
    },
  }));
}
