import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { cut } from "./cut.ts";

/**
 * The error for an answer that is a web page in place of JSON: what a proxy's login page or another server says, which it would say again.
 * `undefined` for any other text.
 */
export function webPageError(text: string, url: string): ControllerError | undefined {
  if (!isWebPage(text)) return undefined;
  const title = /<title[^>]*>([^<]{1,200})/i.exec(text.slice(0, maxLooked))?.[1]?.trim();
  const page = title === undefined || title === "" ? "a web page" : `a web page ("${cut(title, 80)}")`;
  const message = `Expected JSON from ${url}, got ${page}. A proxy in between may ask for a login, or the URL is that of a website: sign in at the proxy or go around it, and check that the base URL ends where the API begins, in /v1 most often.`;
  return new ControllerError(ControllerErrorCode.PROTOCOL, message, {
    details: { url, body: cut(text.trim()) },
    retryable: false,
  });
}

/** As far as a title is looked for. */
const maxLooked = 4_096;

function isWebPage(text: string): boolean {
  return /^[\s\uFEFF]*<(?:!doctype|!--|html|head|body|\?xml)/i.test(text.slice(0, maxLooked));
}
