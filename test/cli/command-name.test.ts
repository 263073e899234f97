import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commandName } from "../../packages/cli/src/command-name.ts";

const folder = mkdtempSync(join(tmpdir(), "planloom-name-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("commands to copy are called as the user called this one", () => {
  const inside = join(folder, "src");
  mkdirSync(inside);
  expect(commandName({ env: { npm_lifecycle_event: "npx" }, cwd: inside })).toBe("npx @planloom/cli");
  mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules", ".bin", "planloom"), "");
  expect(commandName({ env: { npm_lifecycle_event: "npx" }, cwd: inside })).toBe("npx planloom");
  expect(commandName({ env: { npm_lifecycle_event: "planloom" }, cwd: inside })).toBe("pnpm planloom");
  expect(commandName({ env: {}, cwd: inside })).toBe("planloom");
});
