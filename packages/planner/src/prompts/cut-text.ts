/** JSON of a value for a prompt, cut after `maxCharacters` with a note that says so. */
export function jsonForPrompt(value: unknown, maxCharacters: number, indent = 0): string {
  return cutText(JSON.stringify(value, null, indent) ?? "null", maxCharacters);
}

/** The first `maxCharacters` of a text, with a note of what is left out. Never splits a surrogate pair. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const last = text.charCodeAt(maxCharacters - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? maxCharacters - 1 : maxCharacters;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/** What each of so many texts may have of a total, at most `most`, and enough to say what it is about. In characters. */
export function shareOf(total: number, count: number, most: number): number {
  return Math.max(200, Math.min(most, Math.floor(total / Math.max(1, count))));
}
