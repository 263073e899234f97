import { TaskStreamReader } from "@planloom/controller";
import fc from "fast-check";
import { expect, test } from "vitest";

const read = (pieces: readonly string[]) => {
  const reader = new TaskStreamReader();
  return pieces.flatMap((piece) => reader.push(piece));
};
const ids = (text: string) => read([text]).map(({ task_id }) => task_id);

test.for([
  { name: "a list", text: '[{"task_id":"a"},{"task_id":"b"}]', found: ["a", "b"] },
  {
    name: "a record",
    text: '{"title": "t", "planned_tasks": [ {"task_id":"a"} ,\n{"task_id":"b"}]}',
    found: ["a", "b"],
  },
  { name: "another list before", text: '{"resources":[{"id":"x","in":[1]}],"tasks":[{"task_id":"a"}]}', found: ["a"] },
  { name: "prose and a fence", text: 'Here [1] it is:\n```json\n[{"task_id":"a"}]\n```\nDone.', found: ["a"] },
  { name: "a draft in a think block", text: '<think>[{"task_id":"draft"}]</think>[{"task_id":"a"}]', found: ["a"] },
  { name: "brackets and quotes in texts", text: '[{"task_id":"a","d":"}]\\"{["},{"task_id":"b"}]', found: ["a", "b"] },
  { name: "no more after what cannot be read", text: '[{"task_id":"a"},{task_id:"b"},{"task_id":"c"}]', found: ["a"] },
  { name: "the last one cut off", text: '[{"task_id":"a"},{"task_id":"b"', found: ["a"] },
  { name: "ids that are no text", text: '[{"task_id":1},{"task_id":"b"}]', found: [] },
  { name: "nothing", text: "", found: [] },
])("$name", ({ text, found }) => {
  expect(ids(text)).toEqual(found);
  // However it is cut.
  expect(read([...text]).map(({ task_id }) => task_id)).toEqual(found);
});

test("gives each task with the piece that closes it", () => {
  const reader = new TaskStreamReader();
  expect(reader.push('[{"task_id":"a"')).toEqual([]);
  expect(reader.push('},{"task')).toEqual([{ task_id: "a" }]);
  expect(reader.push('_id":"b"}')).toEqual([{ task_id: "b" }]);
});

test("what JSON.stringify writes is read whole, however it is cut; nothing makes it throw", () => {
  const tasks = fc.array(
    fc.record(
      { task_id: fc.string(), arguments: fc.dictionary(fc.string(), fc.jsonValue()) },
      { requiredKeys: ["task_id"] },
    ),
  );
  const cuts = fc.array(fc.nat(400));
  fc.assert(
    fc.property(tasks, cuts, (list, at) => {
      const text = JSON.stringify(list);
      const places = [0, ...at.map((place) => Math.min(place, text.length)), text.length].sort((a, b) => a - b);
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(read(pieces)).toEqual(JSON.parse(text));
    }),
  );
  fc.assert(fc.property(fc.array(fc.string()), (pieces) => void read(pieces)));
});

test("is linear: four times the text takes about four times as long", () => {
  const time = (n: number) => {
    const text = JSON.stringify(Array.from({ length: n }, (_, i) => ({ task_id: `t${i}`, d: "x".repeat(100) })));
    const pieces = text.match(/[\s\S]{1,20}/g) ?? [];
    const began = performance.now();
    expect(read(pieces)).toHaveLength(n);
    return performance.now() - began;
  };
  time(2_000);
  const small = Math.min(time(5_000), time(5_000), time(5_000));
  expect(Math.min(time(20_000), time(20_000))).toBeLessThan(small * 10);
});
