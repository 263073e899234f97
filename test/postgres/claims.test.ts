import { expect, test } from "vitest";
import type { Database, Queryable } from "../../packages/postgres/src/connection/database.ts";
import { Claims } from "../../packages/postgres/src/dispatch/claims.ts";

/** What the engine says that the worker has, and what the worker gave back. */
function engine(...said: string[]) {
  const here = new Set(said);
  const givenBack: string[] = [];
  const on = { query: () => Promise.resolve([...here].map((workflow) => ({ workflow }))) } as unknown as Queryable;
  const database = { read: (work: (each: Queryable) => Promise<unknown>) => work(on) } as unknown as Database;
  const claims = new Claims({
    ...{ database, schema: "planloom", name: "planloom-1" },
    giveBack: async (workflow) => {
      givenBack.push(workflow);
      here.delete(workflow);
    },
    onEnd: () => {},
  });
  const look = async (times: number) => {
    for (let left = times; left > 0; left--) await claims.look();
  };
  return { claims, here, givenBack, look };
}

test("what the engine gave a worker that never heard of it is given back, and begins nothing should it arrive late", async () => {
  const { claims, givenBack, look } = engine("lost#1");
  await look(7);
  expect(givenBack).toEqual([]);
  await look(1);
  expect(givenBack).toEqual(["lost#1"]);
  let begun = 0;
  expect(await claims.execute("lost#1", async () => ++begun)).toBeUndefined();
  expect(begun).toBe(0);
  expect(await claims.execute("lost#2", async () => ++begun)).toBe(1);
});

test("what is under way is kept, and so is what has ended while the engine writes that", async () => {
  const { claims, here, givenBack, look } = engine("long#1");
  const work = Promise.withResolvers<void>();
  const done = claims.execute("long#1", () => work.promise);
  await look(40);
  work.resolve();
  await done;
  await look(29);
  expect(givenBack).toEqual([]);
  // It has written it: another one of this id is counted anew.
  here.delete("long#1");
  await look(1);
  here.add("long#1");
  await look(7);
  expect(givenBack).toEqual([]);
});

test("what began between two looks was not lost", async () => {
  const { claims, givenBack, look } = engine("late#1");
  await look(7);
  const work = Promise.withResolvers<void>();
  const done = claims.execute("late#1", () => work.promise);
  await look(9);
  expect(givenBack).toEqual([]);
  work.resolve();
  await done;
});
