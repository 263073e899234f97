import { isParticiple } from "./participle.ts";
import type { Token } from "./token.ts";

/** "Parcels to be sent on Friday", "which should be sent?": what is to happen has not been done. O(1) */
export function isToCome(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at];
  if (word === undefined || !isParticiple(word)) return false;
  return /^(?:be|get)$/.test(tokens[at - 1]?.lower ?? "") && coming.test(tokens[at - 2]?.lower ?? "");
}

const coming = /^(?:to|will|shall|must|should)$/;
