import { Worker } from "node:worker_threads";

const everyMs = 250;

/**
 * Runs in a thread of its own, since the thread with the tools may be held by one of them for ever. Text, so that it needs no file beside
 * a bundle. A process whose parent is gone has another one, or (on Windows) the same number, which then names no process.
 */
const program = `
const { workerData } = require("node:worker_threads");
const isGone = () => {
  if (process.ppid !== workerData) return true;
  try {
    process.kill(workerData, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
};
setInterval(() => {
  if (isGone()) process.kill(process.pid, "SIGKILL");
}, ${everyMs});
`;

/**
 * Kills this process within about a second after its parent is gone, also while it is blocked. Where no thread can be started (a
 * runtime without them), it does nothing.
 * @param parentPid process id of the parent.
 */
export function endWithParent(parentPid: number): void {
  try {
    const limits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };
    const watch = new Worker(program, { eval: true, workerData: parentPid, execArgv: [], resourceLimits: limits });
    watch.on("error", () => {});
    watch.unref();
  } catch {
    // A process whose loop turns hears that the line to its parent is closed.
  }
}
