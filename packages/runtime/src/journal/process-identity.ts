import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { threadId } from "node:worker_threads";

/** Identifies a process, also among earlier ones with the same id on the same host. Plain JSON. */
export interface ProcessIdentity {
  /** Id of the boot of the machine; absent where the system has none (only Linux does). */
  readonly boot?: string;
  /** When the process started, in ticks of the system since that boot; absent where the system does not say. */
  readonly started?: string;
  /** Thread within the process; 0 is its main thread. */
  readonly thread: number;
}

/** What a process can find out about itself and others on its machine. Tests give another one. */
export interface Observer {
  /** The host's name and, on Linux, the process namespace: equal process ids in two containers are two processes. */
  readonly host: string;
  readonly pid: number;
  readonly process: ProcessIdentity;
  /** Milliseconds by a clock that is never set, and that all processes since one boot share. */
  monotonicMs(): number;
  /** True when a process with this id exists on this host, in this namespace, and has not ended. */
  exists(pid: number): boolean;
  /** As `ProcessIdentity.started`, of another process. */
  startOf(pid: number): string | undefined;
  /** True when a session of this process holds a lease under this token. */
  holds(token: string): boolean;
}

let identity: Pick<Observer, "host" | "process"> | undefined;

/** This process, as it sees itself. The system is asked once. */
export function thisProcess(): Observer {
  identity ??= { host: processHost(), process: ownIdentity() };
  return {
    ...identity,
    pid: process.pid,
    monotonicMs: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
    exists,
    startOf,
    holds: (token) => heldTokens().has(token),
  };
}

/** Notes that a session of this process holds a lease under `token`, until `forgetToken`. */
export function noteToken(token: string): void {
  heldTokens().add(token);
}

export function forgetToken(token: string): void {
  heldTokens().delete(token);
}

const tokensKey = Symbol.for("planloom.runtime.leaseTokens");

/** One set a thread, also where this package was loaded twice (bundled, and as it is). */
function heldTokens(): Set<string> {
  const holder = globalThis as { [tokensKey]?: Set<string> };
  holder[tokensKey] ??= new Set();
  return holder[tokensKey];
}

function ownIdentity(): ProcessIdentity {
  const boot = readText("/proc/sys/kernel/random/boot_id")?.trim();
  const started = startOf(process.pid);
  return {
    ...(boot !== undefined && boot !== "" && { boot }),
    ...(started !== undefined && { started }),
    thread: threadId,
  };
}

function processHost(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Not Linux: the name alone.
    return hostname();
  }
}

function startOf(pid: number): string | undefined {
  return statFrom(pid)?.[19];
}

/** The fields of `stat` from the third on, the state; the second, the program's name in brackets, may hold spaces and brackets itself. */
function statFrom(pid: number): readonly string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** States of a process that has ended, and whose parent has not asked how: in a container whose first process asks after none it stays so. */
const endedStates: ReadonlySet<string | undefined> = new Set(["Z", "X", "x"]);

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !endedStates.has(statFrom(pid)?.[0]);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return (error as { code?: string }).code === "EPERM";
  }
}
