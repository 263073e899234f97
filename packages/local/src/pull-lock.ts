import { randomUUID } from "node:crypto";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename } from "node:path";
import { isRecord } from "@planloom/plan";
import { LocalError, LocalErrorCode } from "./errors.ts";

/** Who downloads a model. */
interface Holder {
  readonly token: string;
  readonly pid?: number;
  readonly host?: string;
  readonly since?: string;
}

const beatMs = 2_000;
/** Silence after which a holder on another machine is dead; one on this machine is asked for by its process id first. */
const silentMs = 30_000;
/** Silence after which a process id is that of another process by now. */
const reusedMs = 600_000;

/**
 * The right to download to one name: a file that is created exclusively, and whose time is renewed while the download takes. That of a process that
 * has died is taken away.
 * @throws LocalError BUSY where another download has it
 */
export async function lockPull(lock: string): Promise<PullLock> {
  const own: Holder = { token: randomUUID(), pid: process.pid, host: hostname(), since: new Date().toISOString() };
  while (!(await make(lock, own))) {
    const holder = await holderOf(lock);
    if (holder === undefined) continue;
    if (!(await isDead(lock, holder)) || !(await takeAway(lock, holder, own))) throw busy(lock, holder);
  }
  return new PullLock(lock, own.token);
}

export class PullLock implements AsyncDisposable {
  readonly #file: string;
  readonly #token: string;
  readonly #timer: NodeJS.Timeout;

  constructor(file: string, token: string) {
    this.#file = file;
    this.#token = token;
    this.#timer = setInterval(() => void this.#beat(), beatMs);
    this.#timer.unref();
  }

  /** @throws LocalError BUSY where another download took the lock over, since this one was silent for too long */
  async check(): Promise<void> {
    const holder = await holderOf(this.#file);
    if (holder?.token !== this.#token) throw busy(this.#file, holder);
  }

  async #beat(): Promise<void> {
    const holder = await holderOf(this.#file);
    const now = new Date();
    if (holder?.token === this.#token) await utimes(this.#file, now, now).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const holder = await holderOf(this.#file);
    if (holder?.token === this.#token) await rm(this.#file, { force: true });
  }
}

/** False where it is there. */
async function make(file: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(holder), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined where there is no lock. One that is not written yet, or damaged, has no more than an empty token. */
async function holderOf(lock: string): Promise<Holder | undefined> {
  const text = await readFile(lock, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value.token === "string" ? (value as unknown as Holder) : { token: "" };
  } catch {
    return { token: "" };
  }
}

async function isDead(lock: string, { pid, host }: Holder): Promise<boolean> {
  const written = await stat(lock).catch(() => undefined);
  const silence = written === undefined ? 0 : Date.now() - written.mtimeMs;
  if (host !== hostname() || typeof pid !== "number") return silence > silentMs;
  return !isAlive(pid) || silence > reusedMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Of those who see that a holder is dead, one takes its lock away: the second could take the lock that the first has just made. */
async function takeAway(lock: string, dead: Holder, own: Holder): Promise<boolean> {
  const taking = `${lock}.taking`;
  if (!(await make(taking, own))) {
    const other = await holderOf(taking);
    if (other !== undefined && (await isDead(taking, other))) await rm(taking, { force: true });
    return false;
  }
  try {
    if ((await holderOf(lock))?.token === dead.token) await rm(lock, { force: true });
    return true;
  } finally {
    await rm(taking, { force: true });
  }
}

function busy(lock: string, { pid, host, since }: Partial<Holder> = {}): LocalError {
  const who = pid === undefined ? "" : ` (process ${pid}${host === hostname() ? "" : ` on ${host}`}, since ${since})`;
  const message = `Another download to the same name is under way${who}: ${basename(lock)}. Wait until it has ended, or give another name (\`name\`, --name).`;
  return new LocalError(LocalErrorCode.BUSY, message, {
    details: { file: lock, ...(pid !== undefined && { pid }), ...(host !== undefined && { host }) },
  });
}
