import type { ChildProcess } from "node:child_process";
import { descendants, lives, type ProcessIdentity } from "./descendants.ts";

/** Servers are led in groups of their own, so that what `npx` or a shell starts ends with them; Windows has no such groups. */
export const ownGroup = process.platform !== "win32";

/** A server's process with all that it started: its group and, on Linux, what left that group. */
export class ServerProcesses {
  readonly #child: ChildProcess;
  readonly #mark: string;
  #outsideGroup: ProcessIdentity[] = [];

  /** @param mark value of `PLANLOOM_MCP_SERVER` in the server's environment */
  constructor(child: ChildProcess, mark: string) {
    this.#child = child;
    this.#mark = mark;
  }

  /** Finds the processes outside the group. Call it before the server ends, since they lose their parent then. */
  look(): void {
    const { pid } = this.#child;
    if (pid !== undefined) this.#outsideGroup = descendants(pid, this.#mark, this.#outsideGroup);
  }

  /** True while any of them, as far as the last look knows, is there. */
  get alive(): boolean {
    return this.#signalGroup(0) || this.#outsideGroup.some(lives);
  }

  /** Signals all of them. @returns false when nothing is left to signal */
  signal(signal: NodeJS.Signals): boolean {
    this.look();
    let reached = this.#signalGroup(signal);
    for (const { pid } of this.#outsideGroup) reached = kill(pid, signal) || reached;
    return reached;
  }

  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined) return false;
    if (ownGroup) return kill(-pid, signal);
    return exitCode === null && signalCode === null && kill(pid, signal);
  }
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

const living = new Set<ServerProcesses>();
const killAll = (): void => {
  for (const processes of living) processes.signal("SIGKILL");
};

/** Ends a server should this process exit first; call the returned function once it is gone. */
export function endWithThisProcess(processes: ServerProcesses): () => void {
  if (living.size === 0) process.on("exit", killAll);
  living.add(processes);
  return () => {
    living.delete(processes);
    if (living.size === 0) process.off("exit", killAll);
  };
}
