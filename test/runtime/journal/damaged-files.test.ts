import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  approve,
  defineTool,
  fork,
  pruneRuns,
  replay,
  resume,
  run,
  SqliteJournal,
  toolExecutor,
  verifyRun,
  waitingFor,
} from "@planloom/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cases } from "../../support/cases.ts";

const executors = [
  toolExecutor([
    defineTool({
      id: "count",
      description: "",
      idempotent: true,
      execute: async ({ id }) => ({ id, v: 1, ...(id === "t4" && { text: "x".repeat(20_000) }) }),
    }),
  ]),
];
const plan = {
  task_id: "orders",
  planned_tasks: Array.from({ length: 20 }, (_, at) => ({
    task_id: `t${at}`,
    execution_type: "tool" as const,
    tool_id: "count",
    arguments: { id: `t${at}`, ...(at >= 2 && { before: `\${t${at - 2}.v}` }) },
    ...(at === 10 && { approval: "required" as const }),
  })),
};

let folder: string;
let closed: Buffer;
/** Of a journal that is open: most of it is in the log. */
let open: { readonly file: Buffer; readonly log: Buffer };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-damaged-"));
  const file = join(folder, "original.sqlite");
  const journal = await SqliteJournal.open(file, { events: true });
  const given = { executors, journal, budgets: { run: { calls: 100 } }, cache: { resources: ["count"] } };
  await run(plan, { ...given, runId: "done" });
  await approve("done", "t10", { journal });
  await resume("done", given);
  await run(plan, { ...given, runId: "waits" });
  open = { file: await readFile(file), log: await readFile(`${file}-wal`) };
  await journal.close();
  closed = await readFile(file);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Random = ReturnType<typeof randomFrom>;

const flipped = (data: Buffer, random: Random, times = 1) => {
  const copy = Buffer.from(data);
  for (let time = 0; time < times; time++) copy[random(copy.length)]! ^= 1 << random(8);
  return copy;
};

const odd = [null, {}, [], 5, "x", true, [null], -1, undefined];

/** Some value within a JSON text, made an odd one. */
function changed(text: string, random: Random): string {
  const value: unknown = JSON.parse(text);
  const places: [Record<string, unknown>, string][] = [];
  const collect = (within: unknown): void => {
    if (typeof within !== "object" || within === null) return;
    for (const key of Object.keys(within)) {
      places.push([within as Record<string, unknown>, key]);
      collect((within as Record<string, unknown>)[key]);
    }
  };
  collect(value);
  const place = places[random(places.length)];
  if (place !== undefined) place[0][place[1]] = odd[random(odd.length)];
  return JSON.stringify(value);
}

const columns = [
  ["plans", "plan"],
  ["plans", "options"],
  ["plans", "run_id"],
  ["plan_parts", "tasks"],
  ["runs", "certificate"],
  ["runs", "metadata"],
  ["runs", "tasks"],
  ["tasks", "status"],
  ["tasks", "input"],
  ["tasks", "output"],
  ["tasks", "usage"],
  ["tasks", "timing"],
  ["tasks", "question"],
  ["tasks", "error"],
  ["tasks", "output_blob"],
  ["answers", "answer"],
  ["events", "event"],
] as const;
const texts = ["null", "{}", "[]", "5", '"x"', "", "{", "[null]", '[{"a":null}]', '{"code":5}'];

/** One value of one row; with its checksums, or, that more is reached, without any. */
function changeRow(file: string, random: Random): string {
  const database = new DatabaseSync(file);
  const [table, column] = columns[random(columns.length)]!;
  const bare = random(3) > 0;
  if (bare) database.exec("UPDATE runs SET chain_length = NULL; DELETE FROM chain");
  const rows = database.prepare(`SELECT rowid AS id, ${column} AS value FROM ${table}`).all();
  const row = rows[random(rows.length)];
  const value = row?.value;
  const isJson = typeof value === "string" && /^[[{]/.test(value);
  const to = isJson && random(3) > 0 ? changed(value, random) : texts[random(texts.length)]!;
  try {
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(to, row?.id ?? 0);
  } catch {
    // The schema refuses it: the file is as it was.
  }
  database.close();
  return `${table}.${column} = ${to.slice(0, 60)}${bare ? ", no checksums" : ""}`;
}

/** Makes a damaged copy. @returns what was done to it */
async function damage(file: string, random: Random): Promise<string> {
  const kind = random(10);
  if (kind >= 5) {
    await writeFile(file, closed);
    return changeRow(file, random);
  }
  if (kind === 0) {
    await writeFile(file, closed.subarray(0, random(closed.length)));
    return "cut";
  }
  if (kind === 1) {
    const page = random(closed.length / 4096) * 4096;
    await writeFile(file, Buffer.from(closed).fill(0, page, page + 4096));
    return "a page of zeros";
  }
  if (kind === 2) {
    await writeFile(file, flipped(closed, random, 1 + random(8)));
    return "bits flipped";
  }
  await writeFile(file, open.file);
  const { log } = open;
  await writeFile(`${file}-wal`, kind === 3 ? log.subarray(0, random(log.length)) : flipped(log, random));
  return kind === 3 ? "log cut" : "a bit of the log flipped";
}

/** Codes that are right answers of a sound journal, too. */
const alsoRight = /^RUNTIME_(RUN_NOT_FOUND|TASK_NOT_FOUND|NOT_WAITING|ALREADY_DENIED|NOT_YET_ASKED)$/;
/** What only a fault of ours says. */
const ours = /undefined|is not (a function|iterable)|reading '/;

function faultOf(thrown: unknown): string | undefined {
  const { name, code, message, stack } = thrown as Error & { code?: string };
  if (name === "RuntimeError" && code !== undefined && !ours.test(message)) {
    if (code.startsWith("RUNTIME_JOURNAL_") || alsoRight.test(code)) return undefined;
  }
  return `${code ?? ""} ${stack?.split("\n").slice(0, 3).join(" ")}`;
}

test.for([1, 2])(
  "of damaged journals (seed %i) each call says JOURNAL_* or is right",
  { timeout: 120_000 },
  async (seed) => {
    const random = randomFrom(seed);
    const faults: string[] = [];
    for (let number = 0; number < cases(60); number++) {
      const file = join(folder, `${seed}-${number}.sqlite`);
      const done = await damage(file, random);
      const check = async (name: string, call: () => Promise<unknown>) => {
        try {
          return await call();
        } catch (thrown) {
          const fault = faultOf(thrown);
          if (fault !== undefined) faults.push(`${number} ${done}: ${name}: ${fault}`);
          return undefined;
        }
      };
      const journal = (await check("open", () => SqliteJournal.open(file, { events: true }))) as
        | SqliteJournal
        | undefined;
      if (journal !== undefined) {
        for (const id of ["done", "waits"]) {
          await check("getRun", () => journal.getRun(id));
          await check("getTasks", () => journal.getTasks(id));
          await check("getOutput", () => journal.getOutput(id, "t4"));
          await check("getEvents", () => journal.getEvents(id));
          await check("getAnswers", () => journal.getAnswers(id));
          await check("getPendingUsage", () => journal.getPendingUsage(id));
          await check("verifyRun", () => verifyRun(journal, id));
          await check("replay", () => replay(id, { journal }));
          await check("waitingFor", () => waitingFor(id, { journal }));
          await check("fork", () => fork(id, "t3", { executors, journal, runId: `fork-of-${id}` }));
          await check("resume", () => resume(id, { executors, journal }));
        }
        await check("approve", () => approve("waits", "t10", { journal }));
        await check("listRuns", () => journal.listRuns());
        await check("findRuns", () => journal.findRuns("d"));
        await check("readCache", () => journal.readCache("k"));
        await check("pruneRuns", () => pruneRuns({ journal, keep: 0, dryRun: true }));
        await check("deleteRun", () => journal.deleteRun("done"));
        await check("compact", () => journal.compact());
        await check("close", () => journal.close());
      }
      for (const ending of ["", "-wal", "-shm"]) await rm(`${file}${ending}`, { force: true });
    }
    expect(faults).toEqual([]);
  },
);

test("a run that went with the end of its log is not simply unknown", async () => {
  const given = async (name: string, log: Buffer) => {
    const file = join(folder, name);
    await writeFile(file, open.file);
    await writeFile(`${file}-wal`, log);
    const journal = await SqliteJournal.open(file);
    const thrown = await journal.getRun("gone").catch((error: unknown) => error);
    await journal.close();
    return thrown;
  };
  const { log } = open;
  const lost = {
    code: "RUNTIME_RUN_NOT_FOUND",
    message: expect.stringMatching(/-wal\) was cut or damaged .* may be lost/),
    details: { log_damaged: true },
  };
  expect(await given("cut.sqlite", log.subarray(0, log.length - 2_000))).toMatchObject(lost);
  expect(await given("short.sqlite", log.subarray(0, 20))).toMatchObject(lost);
  expect(await given("flipped.sqlite", flipped(log.subarray(0, 200), randomFrom(1)))).toMatchObject(lost);
  const middle = Buffer.from(log);
  middle[32 + 24 + 100]! ^= 1;
  expect(await given("middle.sqlite", middle)).toMatchObject(lost);
  const sound = await given("sound.sqlite", log);
  expect(sound).toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND", message: expect.not.stringContaining("-wal") });
});

test("the log of a journal that was written to for long, over and over, is sound", async () => {
  const file = join(folder, "long.sqlite");
  const journal = await SqliteJournal.open(file);
  for (let at = 0; at < 40; at++)
    await journal.writeCache(`k${at % 4}`, { output: "x".repeat(200_000), stored_at: at });
  const copy = join(folder, "copy.sqlite");
  await copyFile(file, copy);
  await copyFile(`${file}-wal`, `${copy}-wal`);
  const other = await SqliteJournal.open(copy);
  await expect(other.getRun("r")).rejects.toMatchObject({ message: expect.not.stringContaining("-wal") });
  await Promise.all([journal.close(), other.close()]);
});
