import fc from "fast-check";
import { expect, test } from "vitest";
import { BitmapQueue } from "../../packages/optimizer/src/bitmap-queue.ts";
import { orderByFallingKey } from "../../packages/optimizer/src/radix-order.ts";

test("the bitmap queue gives back its items in ascending order, whatever goes in between", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, 31, 32, 33, 1024, 40_000),
      fc.array(fc.option(fc.nat()), { maxLength: 200 }),
      (capacity, steps) => {
        const queue = new BitmapQueue(5);
        queue.push(3);
        queue.resize(capacity);
        const model = new Set<number>();
        for (const step of steps) {
          if (step === null) {
            const least = model.size === 0 ? -1 : Math.min(...model);
            expect(queue.pop()).toBe(least);
            model.delete(least);
          } else if (!model.has(step % capacity)) {
            model.add(step % capacity);
            queue.push(step % capacity);
          }
          expect(queue.size).toBe(model.size);
        }
      },
    ),
  );
});

test.for([
  { name: "few", size: 20, key: (at: number) => (at * 7) % 5 },
  { name: "many", size: 3000, key: (at: number) => Math.sin(at) + 1 },
  { name: "very many", size: 9000, key: (at: number) => (at * 7919) % 977 },
  { name: "equal", size: 500, key: () => 3 },
  {
    name: "crowded in a sliver of the range",
    size: 500,
    key: (at: number) => (at === 0 ? 1e15 : 1 + ((at * 31) % 97)),
  },
  { name: "crowded, and long", size: 6000, key: (at: number) => (at === 0 ? 1e15 : 1 + ((at * 31) % 5003)) },
])("orders $name by falling key, stably", ({ size, key }) => {
  const keys = Float64Array.from({ length: size }, (_, at) => key(at));
  const items = Int32Array.from({ length: size }, (_, at) => (at * 11) % size);
  const expected = Array.from(items, (item, at) => ({ item, at }))
    .sort((left, right) => keys[right.item]! - keys[left.item]! || left.at - right.at)
    .map(({ item }) => item);
  orderByFallingKey(items, keys, new Int32Array(size));
  expect([...items]).toEqual(expected);
});
