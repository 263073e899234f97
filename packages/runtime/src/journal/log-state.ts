import { open } from "node:fs/promises";

const headerBytes = 32;
const frameHeaderBytes = 24;
/** Logs are ended at 4 MB or so; of a longer one only that much is looked at. */
const maxRead = 32 * 1024 * 1024;

/**
 * Whether the write-ahead log beside a journal's file is cut or damaged: SQLite leaves out what follows the damage, and says nothing.
 * Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log. A process that was killed in the midst of a write leaves such a log as well; then
 * nothing that was committed is lost.
 */
export async function isLogDamaged(file: string): Promise<boolean> {
  const log = await readLog(`${file}-wal`);
  if (log === undefined || log.length === 0) return false;
  const magic = log.length < headerBytes ? 0 : log.readUInt32BE(0);
  if (magic >>> 1 !== 0x377f0682 >>> 1) return true;
  const sums = new Checksum((magic & 1) === 1);
  sums.add(log, 0, frameHeaderBytes);
  if (!sums.isAt(log, 24)) return true;
  const frame = frameHeaderBytes + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  const isOfThisLog = (at: number) => log.subarray(at + 8, at + 16).equals(salts);
  let at = headerBytes;
  for (; at + frame <= log.length && isOfThisLog(at); at += frame) {
    sums.add(log, at, 8);
    sums.add(log, at + frameHeaderBytes, frame - frameHeaderBytes);
    if (!sums.isAt(log, at + 16)) return true;
  }
  if (log.length < maxRead && (log.length - headerBytes) % frame !== 0) return true;
  // What is left is of an earlier log, which this one overwrites from the beginning; no later frame of this one can be in it.
  for (; at + frame <= log.length; at += frame) if (isOfThisLog(at)) return true;
  return false;
}

async function readLog(file: string): Promise<Buffer | undefined> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    const log = Buffer.alloc(Math.min(size, maxRead));
    const { bytesRead } = await handle.read(log, 0, log.length, 0);
    return log.subarray(0, bytesRead);
  } catch {
    // The file is missing, or may not be read: SQLite reports that.
    return undefined;
  }
}

/** Two sums over pairs of 32-bit words, from the header of the log on. */
class Checksum {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(data: Buffer, from: number, length: number): void {
    let first = this.#first;
    let second = this.#second;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (let at = from; at < from + length; at += 8) {
      first = (first + view.getUint32(at, !this.#isBigEndian) + second) >>> 0;
      second = (second + view.getUint32(at + 4, !this.#isBigEndian) + first) >>> 0;
    }
    this.#first = first;
    this.#second = second;
  }

  isAt(data: Buffer, at: number): boolean {
    return data.readUInt32BE(at) === this.#first && data.readUInt32BE(at + 4) === this.#second;
  }
}
