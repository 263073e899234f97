import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sourcesEnv } from "../support/child-env.ts";

// Start-up is what every command pays, so what is heavy is loaded by those who need it.

const script = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    const found = /node_modules\\/(?:\\.pnpm\\/[^/]+\\/node_modules\\/)?((?:@[^/]+\\/)?[^/]+)\\//.exec(url);
    if (found) loaded.add(found[1]);
    return next(url, context);
  },
});
await import("planloom");
process.stdout.write(JSON.stringify([...loaded].sort()));
`;

test("importing planloom loads no model client, schema compiler, date parser, graph or YAML library", () => {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd,
    encoding: "utf8",
    env: sourcesEnv(),
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual(["eventemitter3", "minisearch", "nanoid", "zod"]);
});
