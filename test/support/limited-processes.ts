import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LimitedWork, type LoggedCall, sharedMs } from "../planloom/processes/limited-process.ts";

const script = fileURLToPath(new URL("../planloom/processes/limited-process.ts", import.meta.url));

export interface LimitedProcess {
  readonly child: ChildProcess;
  /** What it printed: how its runs ended. Rejects where it failed. */
  readonly ends: Promise<string[]>;
  /** Resolves when it is gone. */
  readonly exited: Promise<void>;
  /** SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Processes over one journal, and an observer's log of their calls. */
export class LimitedProcesses implements AsyncDisposable {
  readonly #folder: string;
  readonly #all: LimitedProcess[] = [];
  readonly #killed = new Map<number, number>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async make(): Promise<LimitedProcesses> {
    return new LimitedProcesses(await mkdtemp(join(tmpdir(), "planloom-limits-")));
  }

  get journal(): string {
    return join(this.#folder, "runs.db");
  }

  get log(): string {
    return join(this.#folder, "calls.log");
  }

  start(work: Omit<LimitedWork, "journal" | "log">): LimitedProcess {
    const { journal, log } = this;
    const child = spawn(process.execPath, [script, JSON.stringify({ journal, log, ...work })], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    let errors = "";
    child.stderr!.on("data", (data) => {
      errors += data;
    });
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const ends = new Promise<string[]>((resolve, reject) => {
      child.stdout!.on("data", (data) => {
        text += data;
        if (text.includes("\n")) resolve(JSON.parse(text) as string[]);
      });
      void exited.then(() => reject(new Error(`The process printed nothing. ${errors}`)));
    });
    ends.catch(() => {});
    const kill = async () => {
      this.#killed.set(child.pid!, sharedMs());
      child.kill("SIGKILL");
      await exited;
    };
    const process_: LimitedProcess = { child, ends, exited, kill };
    this.#all.push(process_);
    return process_;
  }

  /** Calls that the observer saw, by time; those of a killed process end when it was killed. */
  calls(): LoggedCall[] {
    if (!existsSync(this.log)) return [];
    const lines = readFileSync(this.log, "utf8").split("\n");
    const calls = lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as LoggedCall);
    const open = new Map<string, LoggedCall>();
    for (const call of calls) {
      if (call.what === "b") open.set(call.id, call);
      else open.delete(call.id);
    }
    for (const call of open.values()) {
      const killed = this.#killed.get(call.pid);
      if (killed !== undefined) calls.push({ ...call, what: "e", atMs: Math.max(killed, call.atMs) });
    }
    return calls.toSorted((a, b) => a.atMs - b.atMs);
  }

  /** The most calls at once that the observer saw, of one tenant or of all. */
  most(tenant?: string): number {
    let now = 0;
    let most = 0;
    for (const call of this.calls()) {
      if (tenant !== undefined && call.tenant !== tenant) continue;
      now += call.what === "b" ? 1 : -1;
      most = Math.max(most, now);
    }
    return most;
  }

  begun(tenant?: string): LoggedCall[] {
    return this.calls().filter((call) => call.what === "b" && (tenant === undefined || call.tenant === tenant));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, exited } of this.#all) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await exited;
      }
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
