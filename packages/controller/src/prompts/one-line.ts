/** A text in one line, cut after so many characters. */
export function oneLine(text: string, most: number): string {
  const words = text.replaceAll(/\s+/g, " ").trim();
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}
