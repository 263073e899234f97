import { createHash, timingSafeEqual } from "node:crypto";

/** Whether a request bears the token in `Authorization`. Compared by digests, which takes as long for a near guess as for any other. */
export function bearsToken({ headers }: Pick<Request, "headers">, token: string): boolean {
  const [, given = ""] = /^Bearer (.*)$/i.exec(headers.get("authorization") ?? "") ?? [];
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
