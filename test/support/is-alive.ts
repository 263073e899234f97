import { existsSync, readFileSync } from "node:fs";

/** A process that has ended counts as gone, also where nobody asks how it ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = `/proc/${pid}/stat`;
    return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, "utf8"));
  } catch {
    return false;
  }
}
