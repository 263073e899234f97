import { planSchema, readOutput, TaskStreamReader } from "@planloom/controller";
import { isRecord } from "@planloom/plan";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../support/any-text.ts";
import { leastCpuMs } from "../support/cpu-time.ts";

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
    return leastCpuMs(() => expect(read(pieces)).toHaveLength(n), 4);
  };
  time(2_000);
  expect(time(20_000)).toBeLessThan(time(5_000) * 10 + 20);
});

const word = fc.stringMatching(/^[a-zà-ü👍]{1,6}$/u);
const planTasks = fc.uniqueArray(
  fc.record({
    task_id: fc.stringMatching(/^[a-z]{1,8}$/),
    description: fc.oneof(word, anyText({ maxLength: 8 }), fc.constantFrom('a "b" \\', "]}", "<plan>[{")),
    arguments: fc.dictionary(word, fc.jsonValue({ maxDepth: 2 })),
    dependencies: fc.array(word, { maxLength: 2 }),
  }),
  { selector: ({ task_id }) => task_id, minLength: 1, maxLength: 6 },
);
const wrapped = fc.record({
  tasks: planTasks,
  before: fc.constantFrom(
    "",
    "Sure, here [it] is:\n",
    '<think>[{"task_id": "draft"}]? No.</think>\n',
    "```json\n",
    "<plan>",
  ),
  after: fc.constantFrom("", "\n```", "</plan>", "\nDone."),
  write: fc.constantFrom(
    (tasks: unknown) => JSON.stringify(tasks),
    (tasks: unknown) => JSON.stringify({ tasks }),
    (tasks: unknown) => JSON.stringify({ title: "T", needs: ["a", ["b"]], tasks }, null, 2),
  ),
});

function tasksOf(text: string): unknown {
  const output = readOutput(text, { schema: planSchema(), prefer: ["tasks"] });
  const value = output.found ? output.value : undefined;
  return isRecord(value) ? value.tasks : value;
}

test("a stream gives the tasks that the whole text is read as, however it is cut into pieces", () => {
  fc.assert(
    fc.property(wrapped, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (plan, lengths) => {
      const text = plan.before + plan.write(plan.tasks) + plan.after;
      fc.pre(!/<\/?(?:think|thought|reasoning|scratchpad)/i.test(plan.write(plan.tasks)));
      const pieces: string[] = [];
      for (let at = 0, index = 0; at < text.length; index += 1) {
        const length = lengths[index % lengths.length]!;
        pieces.push(text.slice(at, at + length));
        at += length;
      }
      expect(read(pieces)).toEqual(tasksOf(text));
    }),
  );
});

test("keys with quotes and brackets in them are no sign that the whole is written inside a string", () => {
  const task = { task_id: "a", arguments: { '"': "", a: { "]": false, '{"': false } }, dependencies: [] };
  const text = `[${JSON.stringify(task)}]`;
  expect(tasksOf(text.slice(0, -1))).toEqual([task]);
  expect(tasksOf(text.slice(0, -2))).toEqual([task]);
});

test("a literal ends where a key begins, though that is cut off", () => {
  const task = { task_id: "a", arguments: { a: { b: false } } };
  expect(tasksOf('[{"task_id":"a","arguments":{"a":{"b":false,"]')).toEqual([task]);
});

test("of a text that is cut off the stream has given the whole tasks, and no others", () => {
  fc.assert(
    fc.property(wrapped, fc.double({ min: 0, max: 1, noNaN: true }), (plan, share) => {
      const whole = plan.before + plan.write(plan.tasks);
      const text = whole.slice(0, Math.floor(whole.length * share));
      const given = read([...text]);
      expect(given).toEqual(JSON.parse(JSON.stringify(plan.tasks)).slice(0, given.length));
      const tasks = given.length === 0 ? [] : tasksOf(text);
      expect(Array.isArray(tasks) && tasks.slice(0, given.length)).toEqual(given);
    }),
  );
});
