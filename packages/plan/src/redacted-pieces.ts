import { redact, spellings } from "./redact.ts";

/** Takes the place of a secret. */
const blank = "[redacted]";

/**
 * Blanks secrets in a text that comes in pieces, as `redact` does in a whole one: a secret may be split over several. The end of a piece that may be the
 * beginning of a secret is held back until a later one shows whether it is. Linear in the text.
 */
export class RedactedPieces {
  #held = "";

  /** @returns the next part of the clean text; its end comes later where it may be the beginning of a secret */
  add(piece: string, secrets: readonly string[]): string {
    const sought = spellings(secrets);
    const text = this.#held + piece;
    if (sought.length === 0) {
      this.#held = "";
      return text;
    }
    const firsts = new Set(sought.map((secret) => secret[0]));
    const longest = sought[0]!.length;
    let given = "";
    let from = 0;
    let at = 0;
    while (at < text.length) {
      if (!firsts.has(text[at])) {
        at += 1;
        continue;
      }
      const rest = text.length - at;
      if (rest < longest) {
        const end = text.slice(at);
        if (sought.some((secret) => secret.length > rest && secret.startsWith(end))) break;
      }
      const found = sought.find((secret) => text.startsWith(secret, at));
      if (found === undefined) {
        at += 1;
        continue;
      }
      given += text.slice(from, at) + blank;
      at += found.length;
      from = at;
    }
    this.#held = text.slice(at);
    return given + text.slice(from, at);
  }

  /** Nothing comes after it. @returns what was held back */
  end(secrets: readonly string[]): string {
    const held = this.#held;
    this.#held = "";
    return redact(held, secrets);
  }

  /** What comes next is another text. */
  restart(): void {
    this.#held = "";
  }
}
