/** True for anything with a `then` method; false where reading it throws. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  try {
    return typeof (value as { then?: unknown }).then === "function";
  } catch {
    return false;
  }
}

/** Handles the rejection of a promise that is never awaited, which would otherwise end the process. */
export function ignoreRejection(value: unknown): void {
  if (!isThenable(value)) return;
  // The native constructor also catches a `then` that throws or settles twice.
  new Promise((resolve) => resolve(value)).then(nothing, nothing);
}

function nothing(): void {}
