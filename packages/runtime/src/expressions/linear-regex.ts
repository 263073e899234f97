import { RE2JS } from "re2js";

/** Longest text that an expression may search, in UTF-16 units. */
const maxTextLength = 1_000_000;
/** How long one text may be searched, in milliseconds: each match is linear in the text, and there can be as many matches. */
const maxSearchMs = 2_000;

/**
 * As much of `RegExp` as JSONata uses (`exec`, `lastIndex`), on an engine whose time is linear in the text, so that no
 * pattern can be made slow. Look-around and back references do not exist there and are refused.
 * Loaded together with JSONata, never at start-up.
 */
export class LinearRegex {
  lastIndex = 0;
  readonly #pattern: RE2JS;
  #text: string | undefined;
  #matcher: ReturnType<RE2JS["matcher"]> | undefined;
  #spentMs = 0;

  constructor(pattern: RegExp) {
    let flags = 0;
    if (pattern.ignoreCase) flags |= RE2JS.CASE_INSENSITIVE;
    if (pattern.multiline) flags |= RE2JS.MULTILINE;
    this.#pattern = RE2JS.compile(RE2JS.translateRegExp(pattern.source), flags);
  }

  exec(text: string): RegExpExecArray | null {
    if (text.length > maxTextLength) {
      throw new Error(
        `Expected at most ${maxTextLength} characters to search with a regular expression, got ${text.length}.`,
      );
    }
    if (this.#matcher === undefined || this.#text !== text) {
      this.#text = text;
      this.#matcher = this.#pattern.matcher(text);
      this.#spentMs = 0;
    }
    const matcher = this.#matcher;
    const began = performance.now();
    const found = this.lastIndex <= text.length && matcher.find(this.lastIndex);
    this.#spentMs += performance.now() - began;
    if (this.#spentMs > maxSearchMs) {
      throw new Error(`Expected a text to be searched within ${maxSearchMs} ms, this regular expression takes longer.`);
    }
    if (!found) {
      this.lastIndex = 0;
      return null;
    }
    this.lastIndex = matcher.end();
    const groups: (string | undefined)[] = [];
    for (let group = 0; group <= matcher.groupCount(); group++) groups.push(matcher.group(group) ?? undefined);
    return Object.assign(groups, { index: matcher.start(), input: text }) as unknown as RegExpExecArray;
  }
}
