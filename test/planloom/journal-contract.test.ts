import { type Journal, memoryJournal, type TaskRecord } from "@planloom/runtime";
import { journalContract } from "planloom/testing";
import { describe, expect, test } from "vitest";

/** A journal in memory some of whose methods are wrong. */
type Broken = (sound: Journal) => Partial<Journal>;

const make = (broken: Broken): Journal => {
  const sound = memoryJournal({ events: true });
  return Object.assign(Object.create(null), sound, broken(sound));
};

/** Names of the cases that fail. */
async function failing(broken: Broken): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of journalContract({ create: () => make(broken), limitMs: 5_000 })) {
    await run().catch((thrown: unknown) => {
      expect(thrown).toBeInstanceOf(Error);
      failed.push(name);
    });
  }
  return failed;
}

describe("the suite for journals", () => {
  test("finds nothing wrong with a sound one", async () => {
    expect(await failing(() => ({}))).toEqual([]);
  });

  test.for<{ name: string; broken: Broken; finds: string }>([
    {
      name: "forgets to check the lease",
      broken: (sound) => {
        const owners = new Map<string, Parameters<Journal["record"]>[1]>();
        return {
          createRun: async (run, owner) => {
            owners.set(run.run_id, owner);
            await sound.createRun(run, owner);
          },
          openRun: async (runId, owner) => {
            owners.set(runId, owner);
            return sound.openRun(runId, owner);
          },
          record: (runId, owner, records) => sound.record(runId, owners.get(runId) ?? owner, records),
        };
      },
      finds: "only the holder of the lease may write",
    },
    {
      name: "is not atomic",
      broken: (sound) => ({
        record: async (runId, owner, records) => {
          for (const one of records) await sound.record(runId, owner, [one]);
        },
      }),
      finds: "stores a batch whole or not at all",
    },
    {
      name: "hands out the object that it keeps",
      broken: (sound) => {
        const kept = new Map<string, Awaited<ReturnType<Journal["getRun"]>>>();
        return {
          getRun: async (runId) => {
            const run = kept.get(runId) ?? (await sound.getRun(runId));
            kept.set(runId, run);
            return run;
          },
        };
      },
      finds: "gives back what was stored, and nothing of it is shared",
    },
    {
      name: "keeps the record that it was given",
      broken: (sound) => {
        const kept = new Map<string, TaskRecord[]>();
        return {
          record: async (runId, owner, records) => {
            await sound.record(runId, owner, records);
            kept.set(runId, [...(kept.get(runId) ?? []), ...records]);
          },
          getTasks: async (runId, options) => kept.get(runId) ?? sound.getTasks(runId, options),
        };
      },
      finds: "gives back what was stored, and nothing of it is shared",
    },
    {
      name: "lets others into a run that is led",
      broken: (sound) => ({
        openRun: async (runId, owner) => {
          try {
            return await sound.openRun(runId, owner);
          } catch {
            return { run: await sound.getRun(runId), tasks: await sound.getTasks(runId) };
          }
        },
      }),
      finds: "a live lease keeps others out, from another view too",
    },
    {
      name: "takes the beginning of an id for the whole",
      broken: (sound) => ({
        getRun: async (runId) => sound.getRun((await sound.findRuns?.(runId))?.[0] ?? runId),
      }),
      finds: "reads and deletes by whole ids alone",
    },
    {
      name: "leaves answers behind",
      broken: (sound) => {
        const kept: Parameters<Journal["addAnswer"]>[1][] = [];
        return {
          addAnswer: async (runId, answer) => {
            await sound.addAnswer(runId, answer);
            kept.push(answer);
          },
          getAnswers: async (runId) => {
            await sound.getRun(runId);
            return kept;
          },
        };
      },
      finds: "deletes all of a run",
    },
    {
      name: "passes conditions over",
      broken: (sound) => ({ listRuns: () => sound.listRuns() }),
      finds: "lists the runs that fit every condition",
    },
    {
      name: "accepts every revision",
      broken: (sound) => ({
        addRevision: (runId, revision, owner) => sound.addRevision(runId, revision, owner).catch(() => {}),
      }),
      finds: "of two revisions made for one plan the second is refused",
    },
    {
      name: "forgets that a run is to be cancelled",
      broken: (sound) => ({
        renewLease: async (runId, owner) => {
          await sound.renewLease(runId, owner);
          return { cancel: false };
        },
      }),
      finds: "who holds the lease hears that the run is to be cancelled; the next holder does not",
    },
    {
      name: "rejects with errors of its own",
      broken: (sound) => ({
        getRun: async (runId) =>
          sound.getRun(runId).catch(() => {
            throw new Error("not found");
          }),
      }),
      finds: "knows nothing of runs that are not there",
    },
    {
      name: "has an output of a task that has none",
      broken: (sound) => ({
        getTasks: async (runId) => (await sound.getTasks(runId)).map((one) => ({ output: null, ...one })),
      }),
      finds: "keeps records whole: nulls, empties, large and odd values",
    },
    {
      name: "never answers",
      broken: () => ({ getAnswers: () => new Promise(() => {}) }),
      finds: "keeps people's answers in order, for every process",
    },
  ])("finds one that $name", { timeout: 60_000 }, async ({ broken, finds }) => {
    expect(journalContract({ create: () => memoryJournal() }).map(({ name }) => name)).toContain(finds);
    const [found] = journalContract({ create: () => make(broken), limitMs: 400 }).filter(({ name }) => name === finds);
    await expect(found?.run()).rejects.toThrow(Error);
  });

  test("passes over what a journal may leave out", async () => {
    const optional = [
      "findRuns",
      "getOutput",
      "addEvents",
      "getEvents",
      "purgeCache",
      "checkChecksums",
      "compact",
      "watchWrites",
    ];
    const without = Object.fromEntries(optional.map((name) => [name, undefined]));
    expect(await failing(() => ({ ...without, storesEvents: false }))).toEqual([]);
  });
});
