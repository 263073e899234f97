import { ServerError, ServerErrorCode } from "../errors.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * The body of a request as a value. It is refused before it is read where its length is known, and as soon as it is too long or late where it is not.
 * @throws ServerError MEDIA_TYPE, BODY_TOO_LARGE, BODY_TIMEOUT, NOT_JSON
 */
export async function readJson(request: Request, { maxBytes, timeoutMs }: BodyLimits): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (type !== null && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    const message = `Expected a body of the type application/json, got ${JSON.stringify(type.slice(0, 100))}. With curl: --json, or -H 'content-type: application/json'.`;
    throw new ServerError(ServerErrorCode.MEDIA_TYPE, message, { details: { content_type: type.slice(0, 100) } });
  }
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBytes(request, maxBytes, timeoutMs);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServerError(ServerErrorCode.NOT_JSON, "Expected the body to be JSON in UTF-8, but it is not UTF-8.", {
      cause,
    });
  }
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ServerError(ServerErrorCode.NOT_JSON, `Expected the body to be JSON, but it cannot be read: ${why}`, {
      cause,
    });
  }
}

async function readBytes(request: Request, maxBytes: number, timeoutMs: number): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooLate(timeoutMs)), timeoutMs);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) return Buffer.concat(chunks, length);
      length += value.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    // What is left of it is not read.
    reader.cancel().catch(() => {});
    if (error instanceof ServerError) throw error;
    const message = "The body did not come to its end: the connection was closed.";
    throw new ServerError(ServerErrorCode.NOT_JSON, message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(maxBytes: number): ServerError {
  const message = `Expected a body of at most ${maxBytes} bytes. The server's option \`maxBodyBytes\` says how many it takes.`;
  return new ServerError(ServerErrorCode.BODY_TOO_LARGE, message, { details: { max_bytes: maxBytes } });
}

function tooLate(timeoutMs: number): ServerError {
  const message = `Expected the whole body within ${timeoutMs} ms.`;
  return new ServerError(ServerErrorCode.BODY_TIMEOUT, message, { details: { timeout_ms: timeoutMs } });
}
