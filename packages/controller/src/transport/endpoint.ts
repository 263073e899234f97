import { ControllerError, ControllerErrorCode } from "../errors.ts";

/**
 * Reads a base URL that a user configured. http and https only.
 * @returns the URL without a slash at its end.
 * @throws ControllerError CONFIG with `details.option`.
 */
export function readEndpoint(text: string, option: string): string {
  const refuse = (problem: string) =>
    new ControllerError(
      ControllerErrorCode.CONFIG,
      `Expected \`${option}\` to be an http or https URL such as http://localhost:8080/v1, ${problem}.`,
      { details: { option } },
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    throw refuse(`got ${JSON.stringify(text.slice(0, 100))}`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refuse(`got the protocol ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse("got one with a user name or password in it; pass those in `headers`");
  }
  return url.href.replace(/\/+$/, "");
}

/** The URL for messages, without the query, which may hold keys. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) {
    return "(no URL)";
  }
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
