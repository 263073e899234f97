import { readFileSync } from "node:fs";
import path from "node:path";
import { type McpConnection, McpError } from "@planloom/mcp";
import { type ExecutionContext, PlannerTask } from "@planloom/plan";
import { expect } from "vitest";
import { compileCacheEnv } from "../support/child-env.ts";

export const fixtures = path.join(import.meta.dirname, "fixtures");

/** The toolbox over stdio, in one of its modes. */
export const stdioToolbox = (mode = "") => ({
  command: "node",
  args: ["--disable-warning=ExperimentalWarning", path.join(fixtures, "stdio-server.ts"), mode],
  env: compileCacheEnv(),
});

export function context(
  signal = new AbortController().signal,
  onProgress: (value: unknown) => void = () => {},
): ExecutionContext {
  const silent = { onUsage() {}, onCall() {} };
  return {
    signal,
    attempt: 1,
    idempotencyKey: "key",
    runId: "run",
    task: PlannerTask.parse({}),
    onProgress,
    ...silent,
  };
}

export const call = (
  connection: McpConnection,
  uid: string,
  input: Record<string, unknown> = {},
  signal?: AbortSignal,
) => connection.executor.execute({ uid, input_data: input }, context(signal));

/** What a promise was rejected with, which must be an McpError. */
export async function mcpError(work: Promise<unknown>): Promise<McpError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(McpError);
  return error as McpError;
}

/** Zombies that nobody has cleared away yet count as gone. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = process.platform === "linux" ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}
