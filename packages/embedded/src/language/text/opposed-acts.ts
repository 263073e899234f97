import { stem } from "./stem.ts";

/** Verbs of which one undoes or refuses what the other does. General English; those of one side mean about the same. */
const pairs: readonly (readonly [string, string])[] = [
  ["approve accept grant allow permit confirm", "reject decline deny refuse revoke disapprove disallow forbid"],
  ["open reopen", "close shut"],
  ["start begin launch resume", "stop end pause halt suspend quit"],
  ["enable activate", "disable deactivate"],
  ["increase", "decrease"],
  ["import", "export"],
  ["upload", "download"],
  ["push", "pull"],
  ["encrypt", "decrypt"],
  ["compress zip", "decompress extract"],
  ["attach", "detach"],
  ["connect", "disconnect"],
  ["show reveal", "hide"],
  ["archive", "restore"],
  ["join", "leave quit"],
  ["hire", "fire dismiss"],
  ["buy", "sell"],
  ["deposit", "withdraw"],
  ["promote", "demote"],
  ["mute", "unmute"],
  ["freeze", "thaw"],
  ["install", "uninstall"],
  ["register", "deregister"],
];

const sides = new Map<string, { readonly same: Set<string>; readonly opposed: Set<string> }>();
for (const [left, right] of pairs)
  for (const [own, other] of [
    [left, right],
    [right, left],
  ] as const)
    for (const verb of own.split(" ").map(stem)) {
      const known = sides.get(verb) ?? { same: new Set(), opposed: new Set() };
      for (const each of own.split(" ")) known.same.add(stem(each));
      for (const each of other.split(" ")) known.opposed.add(stem(each));
      sides.set(verb, known);
    }

/** "unlock" undoes "lock". */
const isUndoing = (undoing: string, verb: string) => verb.length > 2 && undoing === `un${verb}`;

/** Whether one act undoes or refuses the other, each by the stem of its verb. */
export const areOpposed = (left: string, right: string): boolean =>
  sides.get(left)?.opposed.has(right) === true || isUndoing(left, right) || isUndoing(right, left);

/** Whether the verbs are on one side of such a pair: "decline", "reject". */
export const areOnOneSide = (left: string, right: string): boolean =>
  left === right || sides.get(left)?.same.has(right) === true;
