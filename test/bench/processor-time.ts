import { readdirSync, readFileSync } from "node:fs";

/** Ticks of `/proc` a second; 100 on every Linux that Node.js is built for. */
const ticksPerSecond = 100;

interface Seen {
  readonly parent: number;
  readonly ms: number;
  /** Of children that have ended and were waited for. */
  readonly endedMs: number;
}

function seen(pid: number): Seen | undefined {
  try {
    // The second field is a name in brackets, which may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    const ms = (from: number) => (1000 / ticksPerSecond) * (fields[from]! + fields[from + 1]!);
    return { parent: fields[1]!, ms: ms(11), endedMs: ms(13) };
  } catch {
    return undefined;
  }
}

/** Processor time that a process has used so far, in milliseconds. Linux alone. */
export const processMs = (pid: number): number => seen(pid)?.ms ?? 0;

/** The same of a process and its children, those that have ended counted. */
export function familyMs(pid: number): number {
  const root = seen(pid);
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => seen(Number(name)))
    .filter((each) => each?.parent === pid);
  return (root?.ms ?? 0) + (root?.endedMs ?? 0) + children.reduce((sum, each) => sum + (each?.ms ?? 0), 0);
}
