import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { sourcesEnv } from "../support/child-env.ts";

/** Packages in node_modules that a fresh process has loaded after running `code`. */
function loadedBy(code: string): string[] {
  const script = `
    import { createRequire } from "node:module";
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({ load(url, context, next) {
      const name = /node_modules\\/(?!\\.pnpm)((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/.exec(url)?.[1];
      if (name) seen.add(name);
      return next(url, context);
    } });
    const plan = await import("@planloom/plan");
    ${code}
    console.log(JSON.stringify([...seen]));`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: new URL("..", import.meta.url),
    encoding: "utf8",
    env: sourcesEnv(),
  });
  return JSON.parse(out) as string[];
}

test("importing the package, and checking common plans, loads neither ajv nor graphology", () => {
  const code = `
    plan.validatePlan({ planned_tasks: [{ execution_type: "tool", tool_id: "t", arguments: { a: 5 } }] }, [
      { kind: "tool", id: "t", description: "", input_schema: { type: "object", properties: { a: { type: "integer", maximum: 9 } } } },
    ]);`;
  const loaded = loadedBy(code);
  expect(loaded).toContain("zod");
  expect(loaded.filter((name) => /ajv|graphology|yaml|json5/.test(name))).toEqual([]);
});

test("they are loaded when they are needed", () => {
  const loaded = loadedBy(`plan.validateValue(5, { type: "string" }); plan.planGraph([]);`);
  expect(loaded).toEqual(expect.arrayContaining(["ajv", "ajv-formats", "graphology"]));
});
