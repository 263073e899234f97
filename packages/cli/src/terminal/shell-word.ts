import { plainLine } from "./style.ts";

/** A word that a shell takes as it is: ids of tasks are a model's, and this is copied into a terminal. */
export function shellWord(word: string): string {
  const plain = plainLine(word);
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
}
