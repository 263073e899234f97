/** The custom notes of a prompt (`setCustomDescription`), in the order in which their keys were first set. */
export function describeNotes(notes: ReadonlyMap<string, string>): string {
  if (notes.size === 0) return "";
  return ["## Notes", ...[...notes].map(([key, text]) => `- ${key}: ${text}`)].join("\n");
}
