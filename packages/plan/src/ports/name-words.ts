/** Words of a name or a text in lower case, numbers too: `listOpen_orders2` is `list`, `open`, `orders2`. */
export function nameWords(text: string): string[] {
  const apart = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return apart.match(/[\p{L}\p{N}]+/gu) ?? [];
}
