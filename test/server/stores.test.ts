import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore, onlyResources, type ServerStore, sqliteStore } from "@planloom/server";
import type { Executor } from "planloom";
import { memoryJournal, Planloom, SqliteJournal } from "planloom";
import { toolExecutor } from "planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendMail, startServer, weather } from "./support.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-store-"));
});
afterAll(() => rm(folder, { recursive: true }));

const day = 24 * 3_600_000;
const sample = (at: number, phase: 1 | 2 = 1) => ({ search_id: `${at}`, phase, task: `t${at}`, result: { at }, at });

describe.each<[string, () => ServerStore]>([
  ["in memory", () => memoryStore({ maxSamples: 3 })],
  ["in a file", () => sqliteStore(join(folder, `${Math.random()}.sqlite`), { maxSamples: 3 })],
])("a store %s", (_, open) => {
  test("knows a key until its day is over, or it is freed", async () => {
    const store = open();
    expect(await store.begin("k", "d", 0)).toEqual({ state: "new" });
    expect(await store.begin("k", "d", 5)).toEqual({ state: "begun", at: 0 });
    await store.answer("k", { status: 202, body: "{}" });
    expect(await store.begin("k", "d", 5)).toEqual({ state: "answered", reply: { status: 202, body: "{}" } });
    expect(await store.begin("k", "other", 5)).toEqual({ state: "other" });
    expect(await store.begin("k", "d", day)).toEqual({ state: "new" });
    await store.forget("k");
    expect(await store.begin("k", "d", day + 1)).toEqual({ state: "new" });
    await store.close();
    await store.close();
  });

  test("gives samples of a phase in the order of time, the newest ones", async () => {
    const store = open();
    for (const at of [4, 1, 3, 2]) await store.samples.add(sample(at));
    await store.samples.add(sample(9, 2));
    expect((await store.samples.latest(1, 2)).map(({ at }) => at)).toEqual([3, 4]);
    expect((await store.samples.latest(1, 99)).map(({ at }) => at)).toEqual([2, 3, 4]);
    expect(await store.samples.latest(1, 0)).toEqual([]);
    expect(await store.samples.latest(2, 5)).toEqual([sample(9, 2)]);
    await store.close();
  });
});

test("a file keeps answers and samples over a restart", async () => {
  const file = join(folder, "kept.sqlite");
  const first = sqliteStore(file);
  await first.begin("k", "d", 0);
  await first.answer("k", { status: 201, body: "[]" });
  await first.samples.add(sample(1));
  await first.close();
  const second = sqliteStore(file);
  expect(await second.begin("k", "d", 1)).toMatchObject({ state: "answered" });
  expect(await second.samples.latest(1, 1)).toEqual([sample(1)]);
  await second.close();
  expect(() => sqliteStore(join(folder, "no", "such", "folder.sqlite"))).toThrow(
    expect.objectContaining({ code: "SERVER_STORE" }),
  );
});

test("a request whose process died before it answered finds its run again, and starts no second one", async () => {
  const journal = memoryJournal({ events: true });
  const store = memoryStore();
  const body = { goal: "Get the weather of Berlin" };
  const key = { "idempotency-key": "order-1" };
  const forgetful = { ...store, answer: async () => {}, close: async () => {} };
  let run_id: string;
  {
    await using server = await startServer({ store: forgetful }, { journal });
    run_id = (await server.call("POST", "/runs", body, key)).body.run_id;
  }
  await using server = await startServer({ store }, { journal });
  const again = await server.call("POST", "/runs", body, key);
  expect([again.status, again.body]).toEqual([202, { run_id, status: "running" }]);
  expect((await server.call("GET", "/runs")).body.runs).toHaveLength(1);
});

test("what a caller reads does not name the file of the journal", async () => {
  const file = join(folder, "journal.sqlite");
  const journal = await SqliteJournal.open(file);
  {
    await using server = await startServer({}, { journal });
    const { body } = await server.call("GET", "/runs/none");
    expect(body.error).toMatchObject({ code: "RUNTIME_RUN_NOT_FOUND" });
    expect(JSON.stringify(body)).not.toContain(folder);
  }
  await journal.close();
});

test("an executor with some of another's resources executes these alone", async () => {
  const all = toolExecutor([weather, sendMail]);
  const some = onlyResources(all, ["get_weather", "none"]);
  expect(some.resources().map(({ id }) => id)).toEqual(["get_weather"]);
  expect(some.resources()).toBe(some.resources());
  const plan = (tool_id: string, args: object) => ({
    planned_tasks: [{ task_id: "a", execution_type: "tool" as const, tool_id, arguments: { ...args } }],
  });
  const planloom = new Planloom({ executors: [some] });
  const { output_data } = await planloom.run(plan("get_weather", { city: "Berlin" }));
  expect(output_data).toEqual({ a: { city: "Berlin", degrees: 21 } });
  await expect(planloom.run(plan("send_mail", { to: "a", text: "b" }))).rejects.toMatchObject({
    code: "PLANLOOM_INVALID_PLAN",
  });
  await expect(some.execute({ uid: "send_mail", input_data: {} }, {} as never)).rejects.toThrow("not one of");
  await planloom.close();
});

test("an executor with some of another's resources says of these what the other says", () => {
  // Every function of the port; one that a wrapper forgets would be lost without a word, as that an agent takes up its work after a crash.
  const all: Required<Executor> = {
    kind: "tool",
    resources: () => ["a", "b"].map((id) => ({ kind: "tool", id, description: "" })),
    estimate: ({ uid }) => ({ cost: uid.length }),
    unavailable: (uid) => `no ${uid}`,
    timeoutMs: () => 7,
    secrets: true,
    delegates: () => true,
    reattaches: () => true,
    execute: async () => 1,
  };
  const some = onlyResources(all, ["a"]);
  expect(Object.keys(some).sort()).toEqual(Object.keys(all).sort());
  const said = (uid: string) => [
    some.estimate?.({ uid, input_data: {} }),
    some.timeoutMs?.(uid),
    some.delegates?.(uid),
    some.reattaches?.(uid),
    some.unavailable?.(uid),
  ];
  expect(said("a")).toEqual([{ cost: 1 }, 7, true, true, "no a"]);
  expect(said("b")).toEqual([undefined, undefined, false, false, "It is not one of this tenant's resources."]);
});

test.for([
  [undefined, ["a"]],
  [{}, ["a"]],
  [toolExecutor([weather]), "get_weather"],
  [toolExecutor([weather]), undefined],
])("onlyResources refuses %#", ([executor, ids]) => {
  expect(() => onlyResources(executor as never, ids as never)).toThrow(
    expect.objectContaining({ code: "SERVER_OPTION" }),
  );
});
