import { stem } from "./stem.ts";
import type { Token } from "./token.ts";

/**
 * Sorts of acts, finer than the actions: verbs of one sort can replace one another, whatever is done it to. General English only; a verb
 * of a trade must match by its word.
 */
const sorts = {
  search: "search find seek locate query discover lookup",
  list: "list enumerate browse",
  read: "read view open see",
  get: "get fetch retrieve obtain show return describe display give provide inspect",
  download: "download pull export",
  create: "create make generate build produce compose open establish",
  add: "add insert append put attach include enter",
  update: "update change edit modify alter amend revise overwrite",
  set: "set configure adjust",
  delete: "delete remove drop erase destroy clear wipe forget discard trash purge eliminate detach unlink unpin",
  cancel: "cancel stop abort end terminate revoke kill halt discontinue unsubscribe",
  close: "close complete finish resolve end conclude",
  rename: "rename retitle",
  move: "move transfer relocate",
  send: "send post message tell notify announce broadcast email mail share publish",
  start: "start run launch begin execute trigger invoke",
  enable: "enable activate switch-on",
  disable: "disable deactivate switch-off",
  count: "count tally",
  save: "save keep store remember write record memorize",
  restore: "restore revert undo reset recover return refund",
  copy: "copy duplicate clone fork",
  compare: "compare diff contrast",
} as const;

/** A sort of act. */
export type ActSort = keyof typeof sorts;

/** What a verb may ask for beyond its own sort: what is shown may be listed or read; what is added, made. */
const asking: Readonly<Partial<Record<ActSort, string>>> = {
  list: "show display",
  read: "show display get fetch retrieve give tell",
  get: "list read see view find tell download check",
  search: "show list get retrieve",
  download: "get fetch retrieve",
  create: "add write record",
  add: "save store comment",
  update: "set mark rename raise increase lower reduce decrease",
  set: "mark change update raise increase lower reduce decrease",
  save: "put",
  cancel: "delete remove",
  delete: "cancel",
};

const bySort = (table: Readonly<Partial<Record<ActSort, string>>>) => {
  const found = new Map<string, Set<ActSort>>();
  for (const [sort, verbs] of Object.entries(table) as [ActSort, string][])
    for (const verb of verbs.split(" ")) found.set(stem(verb), (found.get(stem(verb)) ?? new Set()).add(sort));
  return found;
};
const own = bySort(sorts);
const wider = bySort(asking);
const none: ReadonlySet<ActSort> = new Set();

/** Acts that leave something changed, which is then called by any verb of the sort: what was edited is what was modified. */
const lasting = [
  "create",
  "add",
  "update",
  "delete",
  "cancel",
  "close",
  "rename",
  "move",
  "send",
  "start",
  "save",
] as const;
const alike = new Map<string, readonly string[]>();
for (const sort of lasting) {
  const stems = [...new Set(sorts[sort].split(" ").map(stem))];
  for (const each of stems)
    alike.set(
      each,
      [...new Set([...(alike.get(each) ?? []), ...stems])].filter((other) => other !== each),
    );
}

/** Stems of the other verbs that tell of the same as one does once it is done: "edited", "modified"; by its stem. */
export const doneAlike = (verb: string): readonly string[] => alike.get(verb) ?? [];

/** The sorts of a verb, by its stem; empty where it is not a general one. */
export const sortsOfVerb = (verb: string): ReadonlySet<ActSort> => own.get(verb) ?? none;

/** Those that somebody may mean who uses the verb. */
export const sortsMeant = (verb: string): ReadonlySet<ActSort> => {
  const found = wider.get(verb);
  return found === undefined ? sortsOfVerb(verb) : new Set([...sortsOfVerb(verb), ...found]);
};

/** A verb with a word after it, or after its object, that makes it another verb. */
const phrasal: readonly (readonly [verbs: string, particles: string, meaning: string])[] = [
  ["take cut strip pull throw kick cross rip chuck leave", "off out away", "remove"],
  ["take tear", "down", "remove"],
  ["get", "rid", "delete"],
  ["do", "away", "delete"],
  ["put throw stick", "on onto in into", "add"],
  ["put set", "up together", "create"],
  ["set", "up", "create"],
  ["make draw", "up", "create"],
  ["write jot note take", "down", "save"],
  ["give pay hand send", "back", "return"],
  ["put bring", "back", "restore"],
  ["roll", "back", "revert"],
  ["switch turn", "on", "switch-on"],
  ["switch turn shut", "off", "switch-off"],
  ["shut", "down", "stop"],
  ["call", "off", "cancel"],
  ["look", "for up", "find"],
  ["find", "out", "get"],
  ["carry", "out", "run"],
  ["fire kick", "up off", "start"],
  ["wrap finish", "up off", "finish"],
  ["hold", "on onto", "keep"],
  ["let", "know", "tell"],
  ["log sign", "out off", "logout"],
  ["log sign", "in", "login"],
  ["tick check cross", "off", "complete"],
  ["hand", "over", "send"],
  ["back", "up", "backup"],
  ["fill", "in", "update"],
  ["pass", "on", "send"],
  ["pick", "up", "collect"],
];
const byVerb = new Map<string, { readonly particles: ReadonlySet<string>; readonly meaning: string }[]>();
for (const [verbs, particles, meaning] of phrasal)
  for (const verb of verbs.split(" "))
    byVerb.set(verb, [...(byVerb.get(verb) ?? []), { particles: new Set(particles.split(" ")), meaning }]);

/** A particle is so near its verb. */
const maxObjectLength = 6;

/** A verb with its particle. */
export interface PhrasalVerb {
  /** A verb that means the same. */
  readonly meaning: string;
  /** Both as one word: "rollback". */
  readonly joined: string;
  /** "back", in lower case. */
  readonly particle: string;
}

/** What a verb means with its particle: "take X off", "get rid of"; undefined without one. Looks at a few tokens only. */
export function phrasalVerb(tokens: readonly Token[], at: number, end: number): PhrasalVerb | undefined {
  const readings = byVerb.get(tokens[at]!.lower);
  if (readings === undefined) return undefined;
  for (let next = at + 1; next < Math.min(end, tokens.length, at + 1 + maxObjectLength); next += 1) {
    const token = tokens[next]!;
    if (token.kind === "punctuation" || token.kind === "break") return undefined;
    const found = readings.find(({ particles }) => particles.has(token.lower));
    if (found !== undefined)
      return { meaning: found.meaning, joined: tokens[at]!.lower + token.lower, particle: token.lower };
  }
  return undefined;
}
