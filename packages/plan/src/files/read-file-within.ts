import { open } from "node:fs/promises";

/**
 * The bytes of a file, of which never more than `maxBytes` and one piece of 64 KiB are read: a device or a pipe has no known size, and
 * may never end.
 * @returns the bytes; for a larger file the number that was seen, which is its size where the system knows it
 * @throws what the system says; the signal's reason
 */
export async function readFileWithin(file: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer | number> {
  signal?.throwIfAborted();
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) return size;
    const pieces: Buffer[] = [];
    for (let total = 0; ; ) {
      signal?.throwIfAborted();
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(1 << 16));
      if (bytesRead === 0) return Buffer.concat(pieces);
      pieces.push(buffer.subarray(0, bytesRead));
      total += bytesRead;
      if (total > maxBytes) return total;
    }
  } finally {
    await handle.close();
  }
}
