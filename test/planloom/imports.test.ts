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
// The first number that a process writes in a language takes it 15 ms.
let written = 0;
Number.prototype.toLocaleString = () => \`\${++written}\`;
await import("planloom");
process.stdout.write(JSON.stringify({ loaded: [...loaded].sort(), written }));
`;

test("importing planloom loads no model client, schema compiler, date parser, graph or YAML library, and writes no number in a language", () => {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd,
    encoding: "utf8",
    env: sourcesEnv(),
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({ loaded: ["eventemitter3", "minisearch", "nanoid", "zod"], written: 0 });
});
