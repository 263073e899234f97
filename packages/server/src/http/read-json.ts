import { PlanError, PlanErrorCode, timerMs } from "planloom/plan";
import { isTooDeep, maxBodyDepth } from "planloom/serving";
import { ServerError, ServerErrorCode } from "../errors.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** What makes the error of a body that is too large. @param bytes at least so many came, or were to come */
type Oversize = (bytes: number, maxBytes: number) => Error;

/**
 * The body of a request as a value. It is refused before it is read where its length is known, and as soon as it is too long or late where it is not.
 * @param holdsPlan whether it is a plan, or has one: then it is the plan that is too large, with the code that this has everywhere
 * @throws ServerError MEDIA_TYPE, BODY_TOO_LARGE, BODY_TIMEOUT, NOT_JSON; PlanError TOO_LARGE
 */
export async function readJson(
  request: Request,
  { maxBytes, timeoutMs }: BodyLimits,
  holdsPlan = false,
): Promise<unknown> {
  const oversize = holdsPlan ? planTooLarge : tooLarge;
  const type = request.headers.get("content-type");
  if (type !== null && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    const message = `Expected a body of the type application/json, got ${JSON.stringify(type.slice(0, 100))}. With curl: --json, or -H 'content-type: application/json'.`;
    throw new ServerError(ServerErrorCode.MEDIA_TYPE, message, { details: { content_type: type.slice(0, 100) } });
  }
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBytes) throw oversize(announced, maxBytes);
  const bytes = await readBytes(request, { maxBytes, timeoutMs }, oversize);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ServerError(ServerErrorCode.NOT_JSON, "Expected the body to be JSON in UTF-8, but it is not UTF-8.", {
      cause,
    });
  }
  if (text.trim() === "") return undefined;
  if (isTooDeep(text)) {
    const message = `Expected JSON of at most ${maxBodyDepth} levels of lists and objects in one another, got more.`;
    throw new ServerError(ServerErrorCode.NOT_JSON, message, { details: { max_depth: maxBodyDepth } });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ServerError(ServerErrorCode.NOT_JSON, `Expected the body to be JSON, but it cannot be read: ${why}`, {
      cause,
    });
  }
}

async function readBytes(
  request: Request,
  { maxBytes, timeoutMs }: BodyLimits,
  oversize: Oversize,
): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooLate(timeoutMs)), timerMs(timeoutMs));
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) return Buffer.concat(chunks, length);
      length += value.byteLength;
      if (length > maxBytes) throw oversize(length, maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    // What is left of it is not read.
    reader.cancel().catch(() => {});
    if (error instanceof ServerError || error instanceof PlanError) throw error;
    const message = "The body did not come to its end: the connection was closed.";
    throw new ServerError(ServerErrorCode.NOT_JSON, message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function planTooLarge(bytes: number, maxBytes: number): PlanError {
  const message = `Expected a plan of at most ${maxBytes} bytes, got ${bytes} or more. Split the plan, or raise the server's option \`maxBodyBytes\`.`;
  return new PlanError(PlanErrorCode.TOO_LARGE, message, { details: { bytes, maxBytes } });
}

function tooLarge(_: number, maxBytes: number): ServerError {
  const message = `Expected a body of at most ${maxBytes} bytes. The server's option \`maxBodyBytes\` says how many it takes.`;
  return new ServerError(ServerErrorCode.BODY_TOO_LARGE, message, { details: { max_bytes: maxBytes } });
}

function tooLate(timeoutMs: number): ServerError {
  const message = `Expected the whole body within ${timeoutMs} ms.`;
  return new ServerError(ServerErrorCode.BODY_TIMEOUT, message, { details: { timeout_ms: timeoutMs } });
}
