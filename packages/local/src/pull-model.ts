import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { OptionChecks } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { LocalError, LocalErrorCode } from "./errors.ts";
import { asksHub, type HubFile, isThisMachine, shownUrl } from "./hub.ts";
import { type ModelFile, readRecord } from "./model-files.ts";
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
 * and has the SHA-256 that the user or the hub said before. Nothing is downloaded where nobody says it.
 * @throws LocalError OPTION, EXISTS, NO_CHECKSUM, CHECKSUM (what came is deleted), DOWNLOAD (what came is kept), WEIGHTS for what is not a GGUF file; the signal's reason
 */
export async function pullModel(options: PullOptions): Promise<ModelFile> {
  checkOptions("`pullModel`", options, checks);
  const { folder, signal, fetch = globalThis.fetch, idleTimeoutMs = 60_000 } = options;
  const url = readUrl(options.url);
  const name = readName(options.name ?? nameIn(url));
  const wanted = readSha(options.sha256);
  const file = join(folder, `${name}.gguf`);
  if (await sizeOf(file)) {
    const message = `There is a model "${name}" already: ${file}. Delete it, or give another name.`;
    throw new LocalError(LocalErrorCode.EXISTS, message, { details: { file } });
  }
  const part = join(folder, `.${name}.gguf.part`);
  const partRecord = join(folder, `.${name}.part.json`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { sha256: begun } = await readRecord(partRecord);
  const known = wanted ?? (typeof begun === "string" && isSha(begun) ? begun : undefined);
  const had = known !== undefined && begun === known ? await sizeOf(part) : 0;
  await using hub = await asksHub(url, had, { fetch, idleTimeoutMs, ...(signal && { signal }) });
  const sha256 = checksumOf(wanted, hub.sha256, url);
  const from = had > 0 && known === sha256 ? hub.from : 0;
  await writeFile(partRecord, JSON.stringify({ url: shownUrl(url), sha256 }), { mode: 0o600 });
  if (!hub.isWhole) await receive(hub, part, from, options);
  const got = await hashOf(part, signal);
  if (got !== sha256) {
    await Promise.all([rm(part, { force: true }), rm(partRecord, { force: true })]);
    const message = `Expected what ${shownUrl(url)} gives to have the SHA-256 ${sha256}, got ${got}. It was deleted.`;
    throw new LocalError(LocalErrorCode.CHECKSUM, message, { details: { expected: sha256, got } });
  }
  checkWeights(part);
  await rename(part, file);
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ url: shownUrl(url), sha256 }, null, 2)}\n`, {
    mode: 0o600,
  });
  await rm(partRecord, { force: true });
  return { name, file, bytes: await sizeOf(file), url: shownUrl(url), sha256 };
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
    await handle.write(chunk, 0, chunk.byteLength, bytes);
    bytes += chunk.byteLength;
    if (performance.now() - reportedAtMs < progressMs) continue;
    reportedAtMs = performance.now();
    tell();
  }
  await handle.sync();
  tell();
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
