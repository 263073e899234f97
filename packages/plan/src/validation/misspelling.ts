import { editDistance } from "./nearest-names.ts";

/** Names longer than this are not compared: what differs in so long a name is hardly a slip. */
const maxLength = 64;
/** From this length on two slips are taken for one word. */
const longName = 8;

/**
 * Whether one name is most likely the other one with a slip of the hand: the same letters in other capitals or with other separators, or one letter left out,
 * doubled, wrong or swapped with the next; two in long names. Names that differ in a digit are two names. O(length²).
 */
export function isMisspelling(given: string, known: string): boolean {
  if (given === known || given.length > maxLength || known.length > maxLength) return false;
  const [left, right] = [plain(given), plain(known)];
  if (left === right) return true;
  if (digits(left) !== digits(right)) return false;
  const shortest = Math.min(left.length, right.length);
  return shortest >= 3 && editDistance(left, right) <= (shortest >= longName ? 2 : 1);
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
const digits = (name: string) => name.replaceAll(/\P{N}/gu, "");
