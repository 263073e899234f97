import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as local from "@planloom/local";
import * as mcp from "@planloom/mcp";
import * as server from "@planloom/server";
import * as planloom from "planloom";
import { CodedError } from "planloom";
import { expect, test } from "vitest";
import { CliError, CliErrorCode } from "../../packages/cli/src/errors.ts";
import { sourcesEnv } from "../support/child-env.ts";

type ErrorClass = new (
  code: string,
  message: string,
  options?: { details?: Readonly<Record<string, unknown>>; cause?: unknown },
) => CodedError;

const isErrorClass = ([, value]: [string, unknown]) =>
  typeof value === "function" && value.prototype instanceof Error && value !== CodedError;
const classes = [local, mcp, server, planloom, { CliError }].flatMap((each) =>
  Object.entries(each)
    .filter(isErrorClass)
    .filter(([name]) => name.endsWith("Error")),
) as [string, ErrorClass][];

test("the error classes of all packages are found", () => {
  expect(classes.map(([name]) => name)).toEqual(
    expect.arrayContaining(["PlanError", "RuntimeError", "McpError", "LocalError", "ServerError", "CliError"]),
  );
});

test.each(classes)("%s has a code, details and a cause as all errors have", (name, Class) => {
  const cause = new Error("why");
  const error = new Class("A_CODE", "What happened.", { details: { at: 1 }, cause });
  expect(error).toBeInstanceOf(CodedError);
  expect(error).toMatchObject({ name, code: "A_CODE", message: "What happened.", details: { at: 1 }, cause });
  const bare = new Class("A_CODE", "What happened.");
  expect(bare.details).toEqual({});
  expect(Object.hasOwn(bare, "cause")).toBe(false);
});

test("a hint of the command line is kept beside the details", () => {
  const error = new CliError(CliErrorCode.USAGE, "No.", { hint: "Do this.", details: { option: "x" } });
  expect(error).toMatchObject({ hint: "Do this.", details: { option: "x" } });
});

test("planloom/coded-error loads nothing of Planloom but what errors are and what callers read of them", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url.replace(/^.*\\/packages\\//, "")); return next(url, context); } });
    await import("planloom/coded-error");
    process.stdout.write(JSON.stringify(loaded));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
    env: sourcesEnv(),
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout).filter((url: string) => !url.startsWith("node:"))).toEqual([
    "planloom/src/entries/coded-error.ts",
    "plan/src/coded-error.ts",
    "planloom/src/caller-error.ts",
    "planloom/src/answered-issues.ts",
  ]);
});
