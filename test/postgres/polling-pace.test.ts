import { run } from "@planloom/runtime";
import { describe, expect, test, vi } from "vitest";
import { type PacedQueue, PollingPace, pollMsFor } from "../../packages/postgres/src/dispatch/polling-pace.ts";
import { diamond, inWorld, until } from "../support/dispatch-world.ts";
import { postgresUrl, query } from "../support/postgres.ts";

test("all idle workers together look for work equally often, however many there are", () => {
  expect([1, 5, 40, 200, 5_000].map(pollMsFor)).toEqual([20, 20, 160, 800, 1_000]);
});

describe("the interval of a queue", () => {
  const queueOf = (ms: number): PacedQueue & { readonly writes: number[] } => {
    const writes: number[] = [];
    return {
      writes,
      getMinPollingIntervalMs: async () => writes.at(-1) ?? ms,
      setMinPollingIntervalMs: async (value) => void writes.push(value),
    };
  };

  test("follows the number of idle workers, and is not written for every one that comes or goes", async () => {
    vi.useFakeTimers();
    try {
      const queue = queueOf(20);
      let idle = 20;
      await using pace = closing(new PollingPace({ idle: async () => idle, queue: async () => queue }));
      await vi.advanceTimersByTimeAsync(0);
      expect(queue.writes).toEqual([80]);
      idle = 22;
      await vi.advanceTimersByTimeAsync(2_000);
      expect(queue.writes).toEqual([80]);
      idle = 3;
      await vi.advanceTimersByTimeAsync(2_000);
      expect(queue.writes).toEqual([80, 20]);
      await pace.close();
      idle = 400;
      await vi.advanceTimersByTimeAsync(30_000);
      expect(queue.writes).toEqual([80, 20]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is set by the next count where the database could not be asked", async () => {
    vi.useFakeTimers();
    try {
      const queue = queueOf(20);
      const idle = vi.fn<() => Promise<number>>().mockRejectedValueOnce(new Error("gone")).mockResolvedValue(50);
      await using _ = closing(new PollingPace({ idle, queue: async () => queue }));
      await vi.advanceTimersByTimeAsync(0);
      expect(queue.writes).toEqual([]);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(queue.writes).toEqual([200]);
    } finally {
      vi.useRealTimers();
    }
  });
});

const closing = (pace: PollingPace) => ({
  close: () => pace.close(),
  [Symbol.asyncDispose]: () => pace.close(),
});

test.skipIf(postgresUrl === undefined)(
  "a worker that comes to many others slows their polling down, and they take subgraphs as before",
  inWorld(async (world) => {
    const { schema } = world.subject;
    const intervals = () =>
      query<{ seconds: number }>(postgresUrl!, `SELECT polling_interval_sec AS seconds FROM ${schema}_dbos.queues`);
    await world.start();
    expect(await intervals()).toEqual([{ seconds: 0.02 }]);
    // Workers of other machines that gave a sign of life just now.
    await query(
      postgresUrl!,
      `INSERT INTO ${schema}.presences (presence, seen_at)
      SELECT 1000000 + number, clock_timestamp() + interval '1 hour' FROM generate_series(1, 18) AS number`,
    );
    await query(
      postgresUrl!,
      `INSERT INTO ${schema}.workers (presence, queue, class, concurrency, resources)
      SELECT 1000000 + number, queue, class, concurrency, resources FROM ${schema}.workers, generate_series(1, 18) AS number`,
    );
    await world.start();
    // 80 ms for 20 of them; 76 where the first worker counted before the second had come, which is near enough to stay.
    await until(async () => [0.076, 0.08].includes((await intervals())[0]?.seconds ?? 0));
    const { plan, subgraphs } = diamond(5);
    world.next();
    expect((await run(plan, world.dispatched(subgraphs))).end_reason).toBe("completed");
  }),
);
