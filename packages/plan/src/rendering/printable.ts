/** Characters that two columns of a terminal show: East Asian wide and full width, emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const zeroWidth = /\p{Mn}|\p{Me}|[\u200b-\u200d]|[\ufe00-\ufe0f]/u;

/**
 * Untrusted text as one line that is safe to print: blanks collapsed, control characters, bidirectional overrides and
 * lone surrogates replaced by `�` (`?` without unicode). Without unicode accents are dropped and all else beyond
 * ASCII becomes `?`.
 */
export function printable(text: string, options: { unicode?: boolean } = {}): string {
  const line = text.replaceAll(/[\t\n\r\v\f\u0085\u2028\u2029 ]+/g, " ").trim();
  if (options.unicode === false) {
    return line
      .normalize("NFKD")
      .replaceAll(/\p{Mn}/gu, "")
      .replaceAll(/[^ -~]/gu, "?");
  }
  return line.toWellFormed().replaceAll(/[\p{Cc}\p{Bidi_Control}\u2060-\u206f\ufeff\ufff9-\ufffb]/gu, "\ufffd");
}

/** Columns that a printable text takes in a terminal. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += zeroWidth.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** The text in at most `width` columns, the end cut off visibly. */
export function fit(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text;
  if (width <= ellipsis.length) return ellipsis.slice(0, Math.max(0, width));
  let used = ellipsis.length;
  let kept = "";
  for (const character of text) {
    const columns = displayWidth(character);
    if (used + columns > width) break;
    kept += character;
    used += columns;
  }
  return `${kept.trimEnd()}${ellipsis}`;
}

/** The text filled with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}
