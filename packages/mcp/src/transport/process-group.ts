import type { ChildProcess } from "node:child_process";

/** Servers are led in groups of their own, so that what `npx` or a shell starts ends with them; Windows has no such groups. */
export const ownGroup = process.platform !== "win32";

/** True while any process of the child's group is there. */
export function groupIsAlive(child: ChildProcess): boolean {
  return signalGroup(child, 0);
}

/** Signals the child and whatever it started. @returns false when nothing is left to signal */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    if (ownGroup) return process.kill(-child.pid, signal);
    return child.exitCode === null && child.signalCode === null && process.kill(child.pid, signal);
  } catch {
    return false;
  }
}

const living = new Set<ChildProcess>();
const killAll = (): void => {
  for (const child of living) signalGroup(child, "SIGKILL");
};

/** Ends `child` should this process exit first; call the returned function once it is gone. */
export function endWithThisProcess(child: ChildProcess): () => void {
  if (living.size === 0) process.on("exit", killAll);
  living.add(child);
  return () => {
    living.delete(child);
    if (living.size === 0) process.off("exit", killAll);
  };
}
