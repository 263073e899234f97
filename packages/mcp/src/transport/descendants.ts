import { readdirSync, readFileSync } from "node:fs";

/** A variable that each server is started with and that processes it starts inherit; each server has a value of its own. */
export const markName = "PLANLOOM_MCP_SERVER";

/** A process by its number and the time it began, since numbers are given out again. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly began: string;
}

/**
 * The living processes that a server started, in any session or group: those that carry its mark in their
 * environment, and the children of the server and of any of these. Linux alone says this, in `/proc`; elsewhere the list is
 * empty. A process that both cleared its environment and left its parent before the last look is not found.
 * @param seen processes found before that may have lost their parent since
 */
export function descendants(root: number, mark: string, seen: readonly ProcessIdentity[] = []): ProcessIdentity[] {
  if (process.platform !== "linux") return [];
  const known = new Map(seen.map(({ pid, began }) => [pid, began]));
  const entries = processNumbers().flatMap((pid) => {
    const entry = readProcess(pid);
    return entry === undefined || pid === process.pid ? [] : [entry];
  });
  const found = new Map<number, ProcessIdentity>();
  for (const { pid, began } of entries) {
    if (pid !== root && (known.get(pid) === began || carries(pid, mark))) found.set(pid, { pid, began });
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, began, parent } of entries) {
      if (pid !== root && (parent === root || found.has(parent))) found.set(pid, { pid, began });
    }
  }
  return [...found.values()];
}

/** True while it is the same process and runs; false for a zombie that its parent has not collected yet. */
export function lives({ pid, began }: ProcessIdentity): boolean {
  return readProcess(pid)?.began === began;
}

function processNumbers(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function readProcess(pid: number): (ProcessIdentity & { readonly parent: number }) | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything; the fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields;
  if (fields.length < 20 || state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), began: fields[19] ?? "" };
}

const carries = (pid: number, mark: string): boolean =>
  `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${markName}=${mark}\0`);

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // It has ended, or is another user's.
    return "";
  }
}
