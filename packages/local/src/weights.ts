import { closeSync, openSync, readSync } from "node:fs";
import { LocalError, LocalErrorCode } from "./errors.ts";

const magic = "GGUF";

/** @throws LocalError WEIGHTS when `file` cannot be read or does not begin as a GGUF file does */
export function checkWeights(file: string): void {
  const start = Buffer.alloc(magic.length);
  try {
    const handle = openSync(file, "r");
    try {
      readSync(handle, start);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    const { message } = cause as Error;
    throw new LocalError(LocalErrorCode.WEIGHTS, `Expected the weights of a model in ${file}, but ${message}.`, {
      details: { file },
      cause,
    });
  }
  if (start.toString("latin1") === magic) return;
  const got = JSON.stringify(start.toString("latin1"));
  throw new LocalError(
    LocalErrorCode.WEIGHTS,
    `Expected ${file} to be a GGUF file, which begins with "GGUF"; it begins with ${got}.`,
    { details: { file } },
  );
}
