import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "@planloom/cli";
import { compileCacheEnv, quickStartEnv } from "./child-env.ts";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
const main = join(repository, "packages/cli/src/main.ts");

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home and data folder of its own for one test file. */
export async function temporaryHome(): Promise<{ path: string; env: Record<string, string>; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "planloom-test-"));
  const trusted = [path, join(repository, "examples/freight")];
  return {
    path,
    env: {
      HOME: path,
      PLANLOOM_HOME: join(path, "home"),
      PLANLOOM_TRUST: trusted.join(delimiter),
      FREIGHT_DB: join(path, "freight.sqlite"),
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/**
 * The server of the freight example, which finds its compiled sources: a server over stdio gets what its configuration says and no more.
 * @param folder where the configuration is written
 * @returns the path of it
 */
export async function freightServers(folder: string): Promise<string> {
  const example = join(repository, "examples/freight");
  const { mcpServers } = JSON.parse(await readFile(join(example, "mcp.json"), "utf8"));
  const freight = { ...mcpServers.freight, cwd: example, env: { ...mcpServers.freight.env, ...compileCacheEnv() } };
  const path = join(folder, "freight.json");
  await writeFile(path, JSON.stringify({ mcpServers: { freight } }));
  return path;
}

/** What a shell has, and what makes processes start faster: compiled sources and bundled packages. */
function shellEnv(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, LANG: "C.UTF-8", ...quickStartEnv() };
}

/** Starts the CLI as a user's shell would, with the environment cut down to what a shell has. */
export function startCli(args: readonly string[], env: Record<string, string> = {}, cwd = repository): ChildProcess {
  return spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...shellEnv(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Collects what a started CLI prints until it ends. */
export function ended(child: ChildProcess): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

export const runCliProcess = (args: readonly string[], env?: Record<string, string>, cwd?: string): Promise<CliRun> =>
  ended(startCli(args, env, cwd));

/** The same without a process of its own, for what no start or end of a process is part of. */
export function runCliHere(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = repository,
): Promise<CliRun> {
  return startCliHere(args, env, cwd).ended;
}

/** A command that runs in this process. */
export interface CliHere {
  readonly ended: Promise<CliRun>;
  /** Resolves with all of standard output as soon as `isEnough` takes it. @throws Error if the command ends before */
  said(isEnough: (stdout: string) => boolean): Promise<string>;
  /** What it has written to standard error. */
  complained(): string;
  /** Interrupts it as Ctrl-C would. */
  stop(): Promise<CliRun>;
}

/** Starts a command that goes on until it is stopped, without a process of its own: see `runCliHere`. */
export function startCliHere(args: readonly string[], env: Record<string, string> = {}, cwd = repository): CliHere {
  const written = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  const sink = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
      for (const look of waiting) look();
    },
  });
  const interrupt = new AbortController();
  const io = { stdout: sink("stdout"), stderr: sink("stderr"), env: { ...shellEnv(), ...env }, cwd };
  const ended = runCli(args, { ...io, signal: interrupt.signal }).then((code) => ({ code, ...written }));
  return {
    ended,
    said: (isEnough) =>
      new Promise((resolve, reject) => {
        const look = () => isEnough(written.stdout) && resolve(written.stdout);
        waiting.add(look);
        look();
        ended.then((run) => reject(new Error(`It ended with ${run.code}: ${run.stdout}${run.stderr}`)), reject);
      }),
    complained: () => written.stderr,
    stop: () => {
      interrupt.abort(new DOMException("Interrupted by SIGINT", "AbortError"));
      return ended;
    },
  };
}
