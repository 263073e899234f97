// How long the compiler takes for a plan of 200 tasks that `definePlan` types, against the declarations as they are published: `node
// test/bench/plan-types.ts [TASKS]`. Two programs are compiled that differ in the number of tasks alone, so that what both load (the
// libraries, zod) is seen apart. Exits with 1 if the tasks take more than 2 s of processor time.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(import.meta.dirname, ".plan-types");
const tsc = join(repository, "node_modules/.bin/tsc");
const tasks = Number(process.argv[2] ?? 200);
const limitSeconds = 2;

/** One task of each sort in turn: plain calls, conditions and texts, lists, and parts of every element. */
function line(place: number): string {
  switch (place % 5) {
    case 0:
      return `const t${place} = t.call(page, { author: t${place - 4}.items().name, rank: ${place} });`;
    case 1:
    case 2:
      return `const t${place} = t.call(authors, { country: t.present(t0.at(${place})).name, limit: ${place} });`;
    case 3:
      return `const t${place} = t.call(authors, { country: t.text\`\${t0.items().name} ${place}\` }, { when: t.expression\`\${t0.items().id} > \${${place}}\` });`;
    default:
      return `const t${place} = t.each(t0.items(), (one) => t.call(authors, { country: one.name, limit: one.id }), { concurrency: 2, on_failure: "collect" });`;
  }
}

function program(count: number): string {
  const lines = Array.from({ length: count - 1 }, (_, place) => line(place + 1));
  return `import { definePlan, defineTool } from "planloom";
import { z } from "zod";
const authors = defineTool({
  id: "authors",
  description: "",
  input: z.object({ country: z.string(), limit: z.number().optional() }),
  output: z.array(z.object({ id: z.number(), name: z.string() })),
  execute: () => [],
});
const page = defineTool({
  id: "page",
  description: "",
  input: { type: "object", properties: { author: { type: "array", items: { type: "string" } }, rank: { type: "integer" } }, required: ["author"] },
  output: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: () => ({ text: "" }),
});
export const plan = definePlan({ tools: [authors, page] }, (t) => {
  const t0 = t.call(authors, { country: "IS" });
  ${lines.join("\n  ")}
  return { last: t${count - 1} };
});
`;
}

/** Processor time of the compiler for a program, in seconds: the least of three. Wall-clock time would measure the machine's other work. */
function compile(count: number): number {
  writeFileSync(join(folder, "plan.ts"), program(count));
  const command = `TIMEFORMAT="%U %S"; time "${tsc}" -p "${folder}" --pretty false --singleThreaded`;
  const runs = [1, 2, 3].map(() => {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { encoding: "utf8" });
    if (status !== 0) throw new Error(`The program does not compile:\n${stdout}${stderr}`);
    return stderr
      .trim()
      .split(" ")
      .reduce((sum, seconds) => sum + Number(seconds), 0);
  });
  return Math.min(...runs);
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
try {
  const config = {
    extends: "../../../tsconfig.base.json",
    compilerOptions: { noEmit: true, types: ["node"], noUnusedLocals: false },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...config, files: ["plan.ts"] }));
  const few = compile(2);
  const many = compile(tasks);
  const text = (seconds: number) => `${seconds.toFixed(2)} s`;
  process.stdout.write(
    `2 tasks: ${text(few)}, ${tasks} tasks: ${text(many)} of processor time. The tasks alone: ${text(many - few)}, at most ${text(limitSeconds)}\n`,
  );
  process.exitCode = many - few <= limitSeconds ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
