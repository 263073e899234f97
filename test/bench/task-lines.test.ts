import { generateWorkload, generatorNames, readTaskLines, readWorkloads } from "@planloom/bench";
import type { PlanView } from "@planloom/plan";
import fc from "fast-check";
import { expect, test } from "vitest";

const id = fc.string({ unit: fc.constantFrom("a", "b", "é", '"', "\\", "\n", "😀", " "), minLength: 1, maxLength: 6 });
const amount = fc.oneof(
  fc.nat(1e6),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.constantFrom(0.1, 1e-7, 1.5e300, 1.2345678901234567e20),
);
const tasks = fc
  .uniqueArray(id, { minLength: 1, maxLength: 8 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((own, at) =>
        fc.record(
          {
            id: fc.constant(own),
            runtime: amount,
            deps: at === 0 ? fc.constant([]) : fc.uniqueArray(fc.constantFrom(...ids.slice(0, at))),
            type: fc.constantFrom("llm", "tool"),
            promptTokens: amount,
            outputBytes: amount,
            desc: fc.string(),
            depBytes: fc.dictionary(id, amount),
          },
          { requiredKeys: ["id", "runtime"] },
        ),
      ),
    ),
  )
  .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));

const columns = ({ n, ids, outPtr, out, work, tokens, outBytes, outTokens, affinity, topo }: PlanView) => ({
  n,
  ids: [...ids],
  arrays: [outPtr, out, work, tokens, outBytes, outTokens, affinity, topo].map((column) => [...column]),
});

test("lines give the view that the same tasks give as one JSON value, wherever the text is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      tasks,
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom("\n", "\r\n", "\n\n"),
      async (list, size, end) => {
        const value = { format: "plan-workload/1", name: "one", tasks: list };
        const bytes = new TextEncoder().encode(list.map((task) => JSON.stringify(task)).join(end));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const view = await readTaskLines(chunks);
        expect(columns(view)).toEqual(columns(readWorkloads(value, "one").workloads[0]!.view));
        for (const [at, own] of list.entries()) expect(view.indexOf(own.id)).toBe(at);
      },
    ),
  );
});

test.each(generatorNames)("a plan of the family %s comes back from its lines", async (family) => {
  const { view } = generateWorkload(family, 300, 1);
  const lines = view.ids.map((own, v) =>
    JSON.stringify({
      id: own,
      runtime: view.work[v]! / 1000,
      deps: Array.from(view.in.subarray(view.inPtr[v], view.inPtr[v + 1]), (u) => view.ids[u]),
    }),
  );
  const read = await readTaskLines([new TextEncoder().encode(lines.join("\n"))]);
  expect([...read.out]).toEqual([...view.out]);
  expect(read.ids).toEqual(view.ids);
});

test.for([
  {
    line: "[]",
    says: 'line 2 to be a task of plan-workload/1 ({"id", "runtime", "deps"}). Expected an object, got "[]"',
  },
  { line: '{"id":"b"}', says: "Expected a runtime, got none" },
  { line: '{"runtime":1}', says: "Expected an id, got none" },
  { line: '{"id":"b","runtime":-1}', says: 'a number of at least 0, got "-1}"' },
  { line: '{"id":"b","runtime":"1"}', says: "a number of at least 0" },
  { line: '{"id":"b","runtime":01}', says: "line 2" },
  { line: '{"id":"b","runtime":1e999}', says: "a number of at least 0" },
  { line: '{"id":"b","runtime":1,"after":["a"]}', says: 'Nothing reads the field "after"' },
  { line: '{"id":"b","runtime":1} x', says: 'the end of the line, got "x"' },
  { line: '{"id":"b","runtime":1', says: "a comma, got the end of the line" },
  { line: '{"id":"b', says: "a text that ends" },
  { line: '{"id":"b","runtime":1,"desc":[1,}', says: "line 2" },
  { line: '{"id":"b","runtime":1,"deps":["c"]}', says: 'Task "b" depends on "c", which is not a task' },
  { line: '{"id":"a","runtime":1}', says: 'unique, got "a" twice' },
  { line: '{"id":"b","runtime":1,"deps":["b"]}', says: "cycle" },
])("$line is refused", async ({ line, says }) => {
  const text = new TextEncoder().encode(`{"id":"a","runtime":1}\n${line}\n`);
  await expect(readTaskLines([text])).rejects.toThrow(says);
});

test("its signal ends it", async () => {
  const line = new TextEncoder().encode('{"id":"a","runtime":1}\n');
  await expect(readTaskLines([line], { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
