import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  dialects,
  formatPlan,
  loadPlan,
  PlanError,
  parsePlanText,
  planFormatOf,
  readPlan,
  savePlan,
  TaskData,
} from "@planloom/plan";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anyText } from "../support/any-text.ts";
import { cases } from "../support/cases.ts";
import { sourcesEnv } from "../support/child-env.ts";
import { cpuTimer } from "../support/cpu-time.ts";
import { planShape, randomToolPlan } from "../support/random-plan.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "planloom-files-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
const plan = TaskData.parse({
  planned_tasks: [
    { task_id: "a", execution_type: "tool", tool_id: "x", arguments: { text: "NO", n: 1.5, nil: null } },
    { task_id: "b", execution_type: "llm", arguments: { in: "${a.rows[0]}" }, dependencies: ["a"] },
  ],
  variables: { v: ["1", 2] },
  title: "Two",
});

describe("parsePlanText", () => {
  test.for([
    { name: "JSON", format: "json", open: "```json\n", close: "\n```" },
    { name: "JSON with blanks around", format: "json", open: "\n  ```\n", close: "```\n\n" },
    { name: "YAML", format: "yaml", open: "```yaml\n", close: "\n```\n" },
  ] as const)("a plan in a code fence that is all of the text: $name", ({ format, open, close }) => {
    const text = formatPlan(plan, { format });
    expect(parsePlanText(`${open}${text}${close}`, { format })).toEqual(parsePlanText(text, { format }));
  });

  test("what is wrong in a fence is reported by the places of the text", () => {
    expect(() => parsePlanText('```json\n{"planned_tasks": [}\n```')).toThrow("line 2, column 20");
    expect(() => parsePlanText("```json {}```")).toThrow("line 1, column 1");
  });

  test("a plan reads back from JSON and YAML", () => {
    for (const format of ["json", "yaml"] as const) {
      expect(parsePlanText(formatPlan(plan, { format }), { format })).toEqual({
        ...plan,
        planned_tasks: plan.planned_tasks.map((task) => ({ ...task, main_task_id: plan.task_id })),
      });
    }
  });

  test("random plans read back from JSON and YAML", () => {
    fc.assert(
      fc.property(randomToolPlan(), fc.constantFrom("json", "yaml" as const), (random, format) => {
        const read = parsePlanText(formatPlan(random, { format }), { format });
        expect(planShape(read)).toEqual(planShape(random));
        expect(formatPlan(read)).toBe(formatPlan(parsePlanText(formatPlan(read))));
      }),
      { numRuns: cases(60) },
    );
  });

  test("any text gives a plan or a PlanError", () => {
    const scrap = fc.constantFrom(
      '{"steps":',
      "[",
      "{",
      '"a"',
      ":",
      ",",
      "]",
      "}",
      "1",
      "<plan>",
      "</plan>",
      "&a ",
      "*a",
      "- ",
      "\n",
    );
    const text = fc.oneof(
      anyText(),
      fc.array(scrap).map((it) => it.join("")),
      fc.json(),
    );
    // Texts of both kinds come up, so that neither half of the promise goes untried.
    const whole = fc
      .record({ tasks: fc.uniqueArray(fc.constantFrom("a", "b", "c")), damaged: fc.boolean() })
      .map((it) => {
        const written = JSON.stringify({ planned_tasks: it.tasks.map((task_id) => ({ task_id })) });
        return it.damaged ? written.slice(1) : written;
      });
    const outcomes = { plan: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(text, whole), fc.constantFrom("json", "yaml" as const), (it, format) => {
        let read: TaskData;
        try {
          read = parsePlanText(it, { format });
        } catch (error) {
          expect(error).toBeInstanceOf(PlanError);
          outcomes.refused++;
          return;
        }
        outcomes.plan++;
        expect(TaskData.parse(read)).toEqual(read);
        expect(planShape(parsePlanText(formatPlan(read, { format }), { format }))).toEqual(planShape(read));
      }),
      { numRuns: cases(500) },
    );
    expect(outcomes.plan).toBeGreaterThan(20);
    expect(outcomes.refused).toBeGreaterThan(20);
  });

  test.for<[string, string, string]>([
    ["an empty text", "", "the text is empty"],
    [
      "a missing comma",
      '{"planned_tasks": [\n  {"task_id": "a"}\n  {"task_id": "b"}]}',
      'unexpected "{" at line 3, column 3',
    ],
    ["an unclosed text", '{"planned_tasks": [{"task_id": "a}]}', "line 1, column 32"],
    ["a trailing comma", '{"a": [1,]}', 'unexpected "]" at line 1, column 10'],
    ["a cut file", '{"planned_tasks": [', "unexpected the end at line 1, column 20"],
    ["text after the value", "{} x", 'unexpected "x" at line 1, column 4'],
    ["a bad escape", '{"a": "\\q"}', "line 1, column 7"],
  ])("tells the place of %s", ([, text, part]) => {
    expect(() => parsePlanText(text)).toThrow(
      expect.objectContaining({ code: "PLAN_INVALID", message: expect.stringContaining(part) }),
    );
  });

  test.for<[string, unknown, string, string]>([
    [
      "an id that is a prototype's name",
      { planned_tasks: [{ task_id: "constructor" }] },
      "PLAN_INVALID",
      "planned_tasks[0].task_id",
    ],
    ["an id of a wrong type", { planned_tasks: [{}, { task_id: 7 }] }, "PLAN_INVALID", "planned_tasks[1].task_id"],
    [
      "dependencies of a wrong type",
      { planned_tasks: [{ dependencies: "a" }] },
      "PLAN_INVALID",
      "planned_tasks[0].dependencies",
    ],
    [
      "an unknown type",
      { planned_tasks: [{ execution_type: "robot" }] },
      "PLAN_INVALID",
      "planned_tasks[0].execution_type",
    ],
    ["a task that is none", { planned_tasks: [5] }, "PLAN_INVALID", "planned_tasks[0]"],
    ["wrong variables", { planned_tasks: [], variables: [] }, "PLAN_INVALID", "variables"],
    ["a status of its own", { planned_tasks: [], status: "paused" }, "PLAN_INVALID", "status"],
    ["something else", { name: "x" }, "PLAN_INVALID", "an object with the keys name"],
    ["a number", 4, "PLAN_INVALID", "4 (number)"],
  ])("refuses %s", ([, value, code, part]) => {
    expect(() => parsePlanText(JSON.stringify(value))).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(part) }),
    );
  });

  test("refuses the key __proto__ wherever it stands, and deep nesting", () => {
    const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    for (const text of ['{"planned_tasks":[],"variables":{"x":[{"\\u005f_proto__":{}}]}}', deep]) {
      expect(() => parsePlanText(text)).toThrow(expect.objectContaining({ code: "PLAN_INVALID" }));
    }
    const proto = "planned_tasks: []\nvariables: {__proto__: {polluted: 1}}";
    expect(() => parsePlanText(proto, { format: "yaml" })).toThrow(/variables\.__proto__/);
    expect(() => parsePlanText("[".repeat(100_000), { format: "yaml" })).toThrow(PlanError);
  });

  test.for<[string, string, string]>([
    ["a syntax error", "planned_tasks:\n  - task_id: [a\n", "line"],
    ["a duplicate key", "title: a\ntitle: b\n", "line 2"],
    ["two documents", "a: 1\n---\nb: 2\n", "multiple documents"],
    ["a cycle of aliases", "&a [*a]", "cycle"],
    ["an expanding bomb", bomb(), "alias"],
    ["quotes without end", '"'.repeat(200_000), "line 1"],
    ["anchors without end", "&a ".repeat(50_000), "anchor"],
  ])("YAML: refuses %s", ([, text, part]) => {
    expect(() => parsePlanText(text, { format: "yaml" })).toThrow(
      expect.objectContaining({ code: "PLAN_INVALID", message: expect.stringMatching(new RegExp(part, "i")) }),
    );
  });

  test("checks the size before anything is parsed", () => {
    const cpuMs = cpuTimer();
    expect(() => parsePlanText("[".repeat(40 * 1024 * 1024))).toThrow(
      expect.objectContaining({ code: "PLAN_TOO_LARGE", details: { bytes: 41_943_040, maxBytes: 33_554_432 } }),
    );
    expect(cpuMs()).toBeLessThan(1_000);
    expect(() => parsePlanText('{"title":"ä"}', { maxBytes: 13 })).toThrow(
      expect.objectContaining({ code: "PLAN_TOO_LARGE" }),
    );
  });

  test("YAML has a smaller limit, when read and when written", () => {
    const big = { ...plan, variables: { text: "x".repeat(5 * 1024 * 1024) } };
    expect(() => formatPlan(big, { format: "yaml" })).toThrow(expect.objectContaining({ code: "PLAN_TOO_LARGE" }));
    expect(() => parsePlanText(formatPlan(big), { format: "yaml" })).toThrow(
      expect.objectContaining({ code: "PLAN_TOO_LARGE", details: expect.objectContaining({ maxBytes: 4_194_304 }) }),
    );
    expect(parsePlanText(formatPlan(big)).variables).toEqual(big.variables);
  });

  test("reads every dialect, a byte order mark and a reply with a plan tag", () => {
    const step = { tool: "t", params: { a: 1 } };
    for (const text of [
      JSON.stringify({ steps: [step] }),
      `\uFEFF${JSON.stringify([{ toolName: "t", arguments: { a: 1 } }])}`,
      JSON.stringify({ id: "p", title: "P", steps: [{ index: "1", title: "T", tool: "t", args: { a: 1 } }] }),
      JSON.stringify({ success: true, data: [{ execution_type: "tool_call", tool_id: "t", parameters: { a: 1 } }] }),
      "<think>why</think><plan>[{tool: 't', args: {a: 1,}}]</plan>",
    ]) {
      const [task] = parsePlanText(text).planned_tasks;
      expect(task).toMatchObject({ execution_type: "tool", tool_id: "t", arguments: { a: 1 } });
    }
    expect(parsePlanText('{"steps": ["look", "buy"]}').planned_tasks[1]).toMatchObject({ description: "buy" });
  });

  test("a cyclic plan cannot be written, and says so", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(() => formatPlan({ ...plan, variables: cycle })).toThrow(expect.objectContaining({ code: "PLAN_INVALID" }));
  });
});

describe("plan files", () => {
  test.for([
    ["p.json", "json"],
    ["p.yaml", "yaml"],
    ["P.YML", "yaml"],
    ["p", "json"],
  ] as const)("%s is %s", ([file, format]) => {
    expect(planFormatOf(file)).toBe(format);
  });

  test("saves and loads, leaving nothing else behind", async () => {
    for (const name of ["plan.json", "plan.yml"]) {
      await savePlan(plan, at(name));
      expect(planShape(await loadPlan(at(name)))).toEqual(planShape(plan));
    }
    expect(readFileSync(at("plan.yml"), "utf8")).toMatch(/^task_id: /);
    expect(readdirSync(folder).filter((it) => it.endsWith(".tmp"))).toEqual([]);
  });

  test("writes through a symbolic link", async () => {
    writeFileSync(at("target.json"), "{}");
    symlinkSync(at("target.json"), at("link.json"));
    await savePlan(plan, at("link.json"));
    expect(readPlan(JSON.parse(readFileSync(at("target.json"), "utf8"))).task_id).toBe(plan.task_id);
  });

  test.runIf(process.platform !== "win32")("a file that never ends is refused at the limit", async () => {
    await expect(loadPlan("/dev/zero", { maxBytes: 100_000 })).rejects.toMatchObject({ code: "PLAN_TOO_LARGE" });
  });

  test("an aborted or impossible save leaves the old file", async () => {
    writeFileSync(at("old.json"), "old");
    const reason = new Error("stop");
    await expect(savePlan(plan, at("old.json"), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const late = new AbortController();
    const saving = savePlan(plan, at("old.json"), { signal: late.signal });
    late.abort(reason);
    await expect(saving).rejects.toBe(reason);
    await expect(savePlan(plan, at("none/plan.json"))).rejects.toMatchObject({ code: "PLAN_FILE" });
    await expect(savePlan({ ...plan, variables: { big: 1n } }, at("old.json"))).rejects.toMatchObject({
      code: "PLAN_INVALID",
    });
    expect(readFileSync(at("old.json"), "utf8")).toBe("old");
    expect(readdirSync(folder).filter((it) => it.endsWith(".tmp"))).toEqual([]);
  });

  test("says what is wrong with a file, and which", async () => {
    writeFileSync(at("broken.json"), '{"planned_tasks": [}');
    writeFileSync(at("latin.json"), Buffer.from([0x22, 0xe4, 0x22]));
    writeFileSync(at("big.json"), " ".repeat(2_000));
    await expect(loadPlan(at("gone.json"))).rejects.toMatchObject({
      code: "PLAN_FILE",
      details: { file: at("gone.json") },
    });
    await expect(loadPlan(folder)).rejects.toMatchObject({
      code: "PLAN_FILE",
      message: expect.stringContaining("it is a folder"),
    });
    await expect(loadPlan(at("broken.json"))).rejects.toMatchObject({
      code: "PLAN_INVALID",
      message: expect.stringContaining("broken.json: "),
      details: { line: 1, column: 20, file: at("broken.json") },
    });
    await expect(loadPlan(at("latin.json"))).rejects.toThrow("not UTF-8");
    await expect(loadPlan(at("big.json"), { maxBytes: 1_000 })).rejects.toMatchObject({ code: "PLAN_TOO_LARGE" });
    await expect(loadPlan(at("big.json"), { signal: AbortSignal.abort("no") })).rejects.toBe("no");
  });

  test.skipIf(process.platform === "win32")("a file without an end is limited too", async () => {
    await expect(loadPlan("/dev/zero", { maxBytes: 100_000 })).rejects.toMatchObject({ code: "PLAN_TOO_LARGE" });
  });

  test("importing the package loads neither yaml nor json5", () => {
    const script = `import { createRequire } from "node:module"; await import("@planloom/plan");
      console.log(Object.keys(createRequire(import.meta.url).cache).filter((it) => /node_modules.(yaml|json5)\\b/.test(it)).length);`;
    const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      env: sourcesEnv(),
    });
    expect(out.trim()).toBe("0");
  });
});

function bomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 8; level += 1)
    lines.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}*a${level - 1}]`);
  return lines.join("\n");
}

test("every dialect is reachable under its own name", () => {
  expect(Object.values(dialects).map(({ name }) => name)).toEqual([
    "agent-grid",
    "kirha",
    "planner-agent",
    "mcp-cli",
    "plan-execute",
    "step-functions",
  ]);
});
