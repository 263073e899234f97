import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sourcesEnv } from "../support/child-env.ts";

test("importing the package loads neither SQLite, JSONata, the regular expression engine, YAML nor ajv", () => {
  const entry = new URL("../../packages/runtime/src/index.ts", import.meta.url);
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(entry.href)});
    process.stdout.write(JSON.stringify(loaded));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: sourcesEnv(),
  });
  const loaded = JSON.parse(output) as string[];
  const heavy = loaded.filter((url) => /^node:sqlite|node_modules\/(jsonata|re2js|yaml|ajv|openai)\//.test(url));
  expect(heavy).toEqual([]);
  expect(loaded).toContain(new URL(fileURLToPath(entry), "file:").href);
});
