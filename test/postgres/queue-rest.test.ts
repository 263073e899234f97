import { setTimeout as sleep } from "node:timers/promises";
import { run } from "@planloom/runtime";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { QueueRest, restMsFor } from "../../packages/postgres/src/dispatch/queue-rest.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { diamond, inWorld, slow, until } from "../support/dispatch-world.ts";
import { postgresUrl, query } from "../support/postgres.ts";

test("idle workers rest longer the more of them there are", () => {
  expect([1, 25, 100, 500, 5_000].map(restMsFor)).toEqual([500, 500, 2_000, 10_000, 10_000]);
});

describe("a look into the queue", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A worker that looks again and again, as soon as it may; `looks` are the times at which it did. */
  function idleWorker(isBusy = () => false) {
    const rest = new QueueRest(isBusy);
    const began = performance.now();
    const looks: number[] = [];
    void (async () => {
      for (;;) {
        await rest.reason();
        looks.push(performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    return { rest, looks };
  }

  test("is let through until the worker begins to rest, for a while after that, and then once a rest", async () => {
    const { rest, looks } = idleWorker();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks).toHaveLength(51);
    rest.begin();
    await vi.advanceTimersByTimeAsync(500);
    expect(looks).toHaveLength(51 + 24);
    await vi.advanceTimersByTimeAsync(5_200);
    expect(looks).toHaveLength(51 + 24 + 10);
  });

  test("is let through at once when something is announced, and when something has ended", async () => {
    for (const tell of ["wake", "stayAwake", "end"] as const) {
      const { rest, looks } = idleWorker();
      rest.begin();
      await vi.advanceTimersByTimeAsync(700);
      const before = looks.length;
      await vi.advanceTimersByTimeAsync(100);
      expect(looks.length).toBe(before);
      rest[tell]();
      await vi.advanceTimersByTimeAsync(0);
      expect({ tell, looks: looks.length - before }).toEqual({ tell, looks: 1 });
      await vi.advanceTimersByTimeAsync(200);
      expect(looks.length - before).toBe(11);
    }
  });

  test("of a worker that executes something is never held", async () => {
    let isBusy = true;
    const { rest, looks } = idleWorker(() => isBusy);
    rest.begin();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(looks).toHaveLength(201);
    isBusy = false;
    await vi.advanceTimersByTimeAsync(400);
    expect(looks).toHaveLength(201);
  });

  test("of many idle workers is let through one after the other", async () => {
    const workers = Array.from({ length: 100 }, () => idleWorker());
    for (const { rest } of workers) {
      rest.idle = 100;
      rest.begin();
    }
    await vi.advanceTimersByTimeAsync(1_000);
    const before = workers.map(({ looks }) => looks.length);
    for (const { rest } of workers) rest.wake();
    const looked = () => workers.filter(({ looks }, at) => looks.length > before[at]!).length;
    await vi.advanceTimersByTimeAsync(40);
    expect(looked()).toBeGreaterThan(0);
    expect(looked()).toBeLessThan(30);
    await vi.advanceTimersByTimeAsync(360);
    expect(looked()).toBe(100);
  });
});

describe.skipIf(postgresUrl === undefined)("a worker", () => {
  test(
    "with nothing to do looks twice a second, and as often as before when it hears of a subgraph",
    inWorld(async (world) => {
      const address = new URL(postgresUrl!);
      await using proxy = await cuttingProxy(address.hostname, Number(address.port));
      address.hostname = "127.0.0.1";
      address.port = String(proxy.port);
      await world.start({ url: address.href });
      const looks = proxy.count("FOR UPDATE SKIP LOCKED");
      const looksIn = async (ms: number) => {
        const before = looks();
        // Real time: the worker is another process.
        await sleep(ms);
        return looks() - before;
      };
      await expect.poll(() => looksIn(1_000), slow).toBeLessThan(4);
      expect(await looksIn(1_500)).toBeGreaterThan(0);
      const notify = `SELECT pg_notify('planloom_${world.subject.schema}', $1)`;
      const toldOf = async (text: string) => {
        await query(postgresUrl!, notify, [text]);
        return looksIn(400);
      };
      await expect.poll(() => toldOf("queued"), slow).toBeGreaterThan(3);
      await expect.poll(() => looksIn(1_000), slow).toBeLessThan(4);
      expect(await toldOf("queued another.queue")).toBeLessThan(4);
    }),
    slow.timeout,
  );

  test(
    "is told of each subgraph that is sent to its queue",
    inWorld(async (world) => {
      const { schema } = world.subject;
      await world.start();
      const [row] = await query<{ name: string }>(postgresUrl!, `SELECT name FROM ${schema}_dbos.queues`);
      const heard: string[] = [];
      const client = new pg.Client(postgresUrl);
      await client.connect();
      try {
        client.on("notification", ({ payload = "" }) => heard.push(payload));
        await client.query(`LISTEN planloom_${schema}`);
        const { plan, subgraphs } = diamond(5);
        world.next();
        expect((await run(plan, world.dispatched(subgraphs))).end_reason).toBe("completed");
        await until(() => heard.filter((text) => text === `queued ${row!.name}`).length >= 3);
      } finally {
        await client.end();
      }
    }),
    slow.timeout,
  );
});
