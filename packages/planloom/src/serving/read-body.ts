import { timerMs } from "@planloom/plan";
import { isTooDeep, maxBodyDepth } from "./body-depth.ts";

/** What is wrong with a body, as a status of HTTP: 400 not UTF-8, deeper than JSON may be, or cut off; 408 it did not end in time; 413 too large. */
export type BodyRefusal = 400 | 408 | 413;

/**
 * Reads the body of a request as text in UTF-8, at most `maxBytes` of it and for at most `timeoutMs`. What still comes after a refusal is not read, so that
 * a body without end holds nothing.
 * @returns the text, `""` where the request has no body; or the status of the refusal
 */
export async function readBody(
  { headers, body }: Pick<Request, "headers" | "body">,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
): Promise<string | BodyRefusal> {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) return 413;
  if (body === null) return "";
  const reader = body.getReader();
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), timerMs(timeoutMs));
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), late.promise]);
      if (next === "late") return 408;
      if (next.done) {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
        return isTooDeep(text) ? 400 : text;
      }
      bytes += next.value.byteLength;
      if (bytes > maxBytes) return 413;
      pieces.push(next.value);
    }
  } catch {
    return 400;
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
}

/** The code and the words of a refusal, the same on every server. */
export function bodyRefusal(
  status: BodyRefusal,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
): { readonly code: string; readonly message: string } {
  switch (status) {
    case 400:
      return {
        code: "SERVER_NOT_JSON",
        message: `Expected the body to be JSON in UTF-8 of at most ${maxBodyDepth} levels, but it is not UTF-8, deeper, or was cut off.`,
      };
    case 408:
      return { code: "SERVER_BODY_TIMEOUT", message: `Expected the whole body within ${timeoutMs} ms.` };
    case 413:
      return { code: "SERVER_BODY_TOO_LARGE", message: `Expected a body of at most ${maxBytes} bytes.` };
  }
}
