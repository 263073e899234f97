/**
 * The words of an identifier, lower-cased, in order: `shelfMarks`, `shelf_marks`, `ShelfMarks` and `shelf-marks` all
 * give `shelf`, `marks`. Digits are a word of their own.
 */
export function splitName(name: string): string[] {
  return name
    .slice(0, 400)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}
