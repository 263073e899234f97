import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { OptionChecks } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { LocalError, LocalErrorCode } from "./errors.ts";
import { asksHub, type HubFile, isThisMachine, shownUrl } from "./hub.ts";
import { type ModelFile, readRecord } from "./model-files.ts";
import { lockPull, type PullLock } from "./pull-lock.ts";
import { checkWeights } from "./weights.ts";

export interface PullOptions {
  /** Of the file itself: https, or http of this machine. */
  readonly url: string;
  /** Where models are kept; made where it is missing. */
  readonly folder: string;
  /** What it is called here: letters, digits, `.`, `_`, `-`. @default the file's name without `.gguf` */
  readonly name?: string;
  /** Of the file, in hexadecimal digits. @default what the hub says of it (`X-Linked-ETag`, as Hugging Face has it) */
  readonly sha256?: string;
  /** Longest silence of the hub, in milliseconds. @default 60_000 */
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called now and then. `total` is absent where the hub does not say it. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly total?: number }) => void;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
}

const checks = {
  url: { required: "name" },
  folder: { required: "name" },
  name: "text",
  sha256: "text",
  idleTimeoutMs: "positive",
  signal: "signal",
  onProgress: "function",
  fetch: "function",
} as const satisfies OptionChecks<PullOptions>;

const progressMs = 500;

/**
 * Downloads the weights of a model, once: to a name for parts first, which a later call continues, and to its own name when all of it is there
 * and has the SHA-256 that the user or the hub said before. Nothing is downloaded where nobody says it. Of several calls for one name, one downloads.
 * @throws LocalError OPTION, EXISTS, BUSY, NO_CHECKSUM, CHECKSUM and WEIGHTS for what is not a GGUF file (what came is deleted), DOWNLOAD (what came is kept), DISK (what
 * came is deleted where the disk is full); the signal's reason
 */
export async function pullModel(options: PullOptions): Promise<ModelFile> {
  checkOptions("`pullModel`", options, checks);
  const { folder } = options;
  const url = readUrl(options.url);
  const name = readName(options.name ?? nameIn(url));
  const wanted = readSha(options.sha256);
  options.signal?.throwIfAborted();
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await using lock = await lockPull(join(folder, `.${name}.lock`));
    return await pullAlone({ ...options, folder, lock, from: url, name, wanted });
  } catch (error) {
    throw diskError(error, folder);
  }
}

interface Pull extends PullOptions {
  readonly lock: PullLock;
  readonly from: URL;
  readonly name: string;
  readonly wanted: string | undefined;
}

async function pullAlone(pull: Pull): Promise<ModelFile> {
  const { folder, lock, from: url, name, wanted, signal, fetch = globalThis.fetch, idleTimeoutMs = 60_000 } = pull;
  const file = join(folder, `${name}.gguf`);
  if (await sizeOf(file)) {
    const message = `There is a model "${name}" already: ${file}. Delete it, or give another name.`;
    throw new LocalError(LocalErrorCode.EXISTS, message, { details: { file } });
  }
  const part = join(folder, `.${name}.gguf.part`);
  const partRecord = join(folder, `.${name}.part.json`);
  const forget = () => Promise.all([rm(part, { force: true }), rm(partRecord, { force: true })]);
  const { sha256: begun } = await readRecord(partRecord);
  const known = wanted ?? (typeof begun === "string" && isSha(begun) ? begun : undefined);
  const had = known !== undefined && begun === known ? await sizeOf(part) : 0;
  await using hub = await asksHub(url, had, { fetch, idleTimeoutMs, ...(signal && { signal }) });
  const sha256 = checksumOf(wanted, hub.sha256, url);
  const from = had > 0 && known === sha256 ? hub.from : 0;
  await checkSpace(folder, hub, had);
  try {
    await writeFile(partRecord, JSON.stringify({ url: shownUrl(url), sha256 }), { mode: 0o600 });
    if (!hub.isWhole) await receive(hub, part, from, pull);
    const got = await hashOf(part, signal);
    if (got !== sha256) {
      const message = `Expected what ${shownUrl(url)} gives to have the SHA-256 ${sha256}, got ${got}. It was deleted.`;
      throw new LocalError(LocalErrorCode.CHECKSUM, message, { details: { expected: sha256, got } });
    }
    checkWeights(part);
    await lock.check();
    await rename(part, file);
    await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ url: shownUrl(url), sha256 }, null, 2)}\n`, {
      mode: 0o600,
    });
  } catch (error) {
    // A later call continues a download that broke off; what is wrong, and what fills the disk, is deleted.
    if (isWrong(error) || isFull(error)) await forget();
    throw error;
  }
  await rm(partRecord, { force: true });
  return { name, file, bytes: await sizeOf(file), url: shownUrl(url), sha256 };
}

function isWrong(error: unknown): boolean {
  return (
    error instanceof LocalError && (error.code === LocalErrorCode.CHECKSUM || error.code === LocalErrorCode.WEIGHTS)
  );
}

function isFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** @throws LocalError DISK where what is to come does not fit, so that it is not begun */
async function checkSpace(folder: string, { total, isWhole }: HubFile, had: number): Promise<void> {
  const space = await statfs(folder).catch(() => undefined);
  if (space === undefined || total === undefined || isWhole) return;
  const free = space.bavail * space.bsize + had;
  if (free >= total) return;
  const message = `Expected ${folder} to have room for ${total} bytes, got ${free}. Nothing was downloaded; free space, or name another folder.`;
  throw new LocalError(LocalErrorCode.DISK, message, { details: { folder, errno: "ENOSPC", needed: total, free } });
}

/** An error of the file system with a code of ours; any other as it is. */
function diskError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !("syscall" in error) || error instanceof LocalError) return error;
  const errno = "code" in error ? String(error.code) : "";
  const what = isFull(error) ? "the disk is full, and what came was deleted" : error.message;
  const message = `Expected to read and write models in ${folder}, but ${what}.`;
  return new LocalError(LocalErrorCode.DISK, message, { details: { folder, errno }, cause: error });
}

async function receive(hub: HubFile, part: string, from: number, { onProgress }: PullOptions): Promise<void> {
  await using handle = await open(part, from > 0 ? "r+" : "w", 0o600);
  await handle.truncate(from);
  let bytes = from;
  let reportedAtMs = 0;
  const tell = () => onProgress?.({ bytes, ...(hub.total !== undefined && { total: hub.total }) });
  for await (const chunk of hub.chunks()) {
    // A hub that gives more than it said may never end; the checksum says that it is another file.
    if (hub.total !== undefined && bytes + chunk.byteLength > hub.total) break;
    await writeWhole(handle, chunk, bytes);
    bytes += chunk.byteLength;
    if (performance.now() - reportedAtMs < progressMs) continue;
    reportedAtMs = performance.now();
    tell();
  }
  await handle.sync();
  tell();
}

/** One write may take a part of it, on a disk that is nearly full. */
async function writeWhole(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, written, chunk.byteLength - written, position + written);
    written += bytesWritten;
  }
}

/** @throws LocalError NO_CHECKSUM, CHECKSUM */
function checksumOf(wanted: string | undefined, offered: string | undefined, url: URL): string {
  if (wanted !== undefined && offered !== undefined && wanted !== offered) {
    const message = `Expected ${shownUrl(url)} to have the SHA-256 ${wanted}, but the hub says it has ${offered}. Nothing was downloaded.`;
    throw new LocalError(LocalErrorCode.CHECKSUM, message, { details: { expected: wanted, got: offered } });
  }
  const sha256 = wanted ?? offered;
  if (sha256 !== undefined) return sha256;
  const message = `Neither you nor the hub says which SHA-256 ${shownUrl(url)} has, so it could not be verified. Take it from who published the model and give it with --sha256 (\`sha256\`).`;
  throw new LocalError(LocalErrorCode.NO_CHECKSUM, message, { details: { url: shownUrl(url) } });
}

async function hashOf(file: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20, signal })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url !== undefined && isThisMachine(url);
  if (url !== undefined && url.username === "" && (url.protocol === "https:" || (url.protocol === "http:" && isHere)))
    return url;
  const message = `Expected \`url\` to be the https address of a GGUF file, got ${JSON.stringify(text)}.`;
  throw new LocalError(LocalErrorCode.OPTION, message, { details: { option: "url" } });
}

function nameIn({ pathname }: URL): string {
  const written = basename(pathname).replace(/\.gguf$/i, "");
  try {
    return decodeURIComponent(written);
  } catch {
    // A text with broken escapes stays as it is written, and is refused as a name.
    return written;
  }
}

function readName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,127}$/.test(name)) return name;
  const message = `Expected \`name\` to have letters, digits, ".", "_" and "-", got ${JSON.stringify(name)}.`;
  throw new LocalError(LocalErrorCode.OPTION, message, { details: { option: "name" } });
}

function readSha(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const digits = text.toLowerCase().replace(/^sha256:/, "");
  if (isSha(digits)) return digits;
  const message = `Expected \`sha256\` to be 64 hexadecimal digits, got ${JSON.stringify(text)}.`;
  throw new LocalError(LocalErrorCode.OPTION, message, { details: { option: "sha256" } });
}

function isSha(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
