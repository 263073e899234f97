import { connectAll } from "@planloom/plan";
import { expect, test } from "vitest";

const several = (failures: readonly { readonly name: string }[]) => new Error(failures.map(({ name }) => name).join());

/** Things to connect, and which of them were closed. */
function things(reasons: Readonly<Record<string, Promise<unknown> | "optional" | "fails">>) {
  const closed: string[] = [];
  const wanted = Object.entries(reasons).map(([name, how]) => ({
    name,
    isOptional: how === "optional",
    connect: async () => {
      if (how === "optional" || how === "fails") throw new Error(`${name} is away`);
      await how;
      return {
        name,
        close: async () => {
          await Promise.resolve();
          closed.push(name);
        },
      };
    },
  }));
  return { closed, wanted };
}

const never = new AbortController().signal;
const there = Promise.resolve();

test("what is optional may be missing, and all else is connected in the order given", async () => {
  const { wanted, closed } = things({ a: there, b: "optional", c: there });
  const outcomes = await connectAll(wanted, never, several);
  expect(outcomes).toMatchObject([
    { value: { name: "a" } },
    { reason: { message: "b is away" } },
    { value: { name: "c" } },
  ]);
  expect(closed).toEqual([]);
});

test("where one that is needed fails, its error is thrown once the others are closed", async () => {
  const { wanted, closed } = things({ a: there, b: "fails", c: "optional", d: there });
  await expect(connectAll(wanted, never, several)).rejects.toThrow("b is away");
  expect(closed).toEqual(["a", "d"]);
});

test("where several fail, one error names them", async () => {
  const { wanted, closed } = things({ a: "fails", b: there, c: "fails" });
  await expect(connectAll(wanted, never, several)).rejects.toThrow("a,c");
  expect(closed).toEqual(["b"]);
});

test("where it is aborted meanwhile, what is connected by then is closed first", async () => {
  const stop = new AbortController();
  const slow = Promise.withResolvers<void>();
  const { wanted, closed } = things({ a: there, b: slow.promise });
  const connecting = connectAll(wanted, stop.signal, several);
  stop.abort(new Error("enough"));
  slow.resolve();
  await expect(connecting).rejects.toThrow("enough");
  expect(closed).toEqual(["a", "b"]);
  await expect(connectAll(wanted, stop.signal, several)).rejects.toThrow("enough");
});
