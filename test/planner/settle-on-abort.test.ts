import { describe, expect, test } from "vitest";
import { settleOnAbort } from "../../packages/planner/src/settle-on-abort.ts";

describe("settleOnAbort", () => {
  test("gives the value", async () => expect(await settleOnAbort(Promise.resolve(1), undefined)).toBe(1));

  test("waits for the work to stop", async () => {
    const abort = new AbortController();
    let stopped = false;
    const work = new Promise<never>((_, reject) =>
      abort.signal.addEventListener("abort", () =>
        setTimeout(() => {
          stopped = true;
          reject(new Error("stopped"));
        }, 10),
      ),
    );
    const waiting = settleOnAbort(work, abort.signal);
    abort.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    expect(stopped).toBe(true);
  });

  test("does not wait for ever", async () => {
    const abort = new AbortController();
    const waiting = settleOnAbort(new Promise(() => {}), abort.signal, 5);
    abort.abort("enough");
    await expect(waiting).rejects.toBe("enough");
  });
});
