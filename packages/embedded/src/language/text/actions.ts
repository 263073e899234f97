import { stem } from "./stem.ts";

/** What a request, or a resource, does. `other` is a verb of a trade ("translate"), which must match by word. */
export type Action = "read" | "create" | "update" | "delete" | "send" | "run" | "other";

const lists: Readonly<Record<Exclude<Action, "other">, string>> = {
  read: `get show list find fetch locate retrieve search check look view display see give tell return query read browse pull
    load obtain identify determine know lookup collect gather analyse analyze examine review explore investigate
    discover inspect select enumerate monitor track describe report scan screen extract all index
    compare count rank summarise summarize present provide output print verify learn study watch filter access
    download recommend suggest head`,
  create: `create add make new register insert post open book schedule reserve order buy purchase place submit issue
    note jot remember memorize memorise copy duplicate clone
    build write compose draft start generate produce establish form initiate plan organise organize arrange
    set enter log put append store save sign enrol enroll publish file apply request upload`,
  update: `update change edit modify rename move adjust increase reduce replace mark assign reassign patch correct amend
    enable disable renew extend reschedule set switch turn complete finish close resolve archive restore alter`,
  delete:
    "delete remove cancel drop clear erase discard destroy purge revoke unregister unsubscribe forget wipe trash scrap eliminate unlink detach unpin",
  send: "send email mail notify message share forward text alert reply broadcast call contact ping post",
  run: "run execute launch perform do trigger process invoke start call use apply conduct carry",
};

const actionsOf = new Map<string, Set<Action>>();
const stemmed = new Map<string, Set<Action>>();
for (const [action, text] of Object.entries(lists) as [Action, string][]) {
  for (const verb of text.split(/\s+/)) {
    if (verb === "") continue;
    actionsOf.set(verb, (actionsOf.get(verb) ?? new Set()).add(action));
    stemmed.set(stem(verb), (stemmed.get(stem(verb)) ?? new Set()).add(action));
  }
}

const others = new Set(
  `calculate compute convert translate predict estimate classify transform detect recognise recognize answer explain
  solve evaluate assess validate test compile deploy merge split combine join encode decode encrypt decrypt parse format
  generate measure simulate optimise optimize forecast recommend pay play stop pause resume install visit take bring
  deliver rate score tag label group sort plot draw paint record sing attend follow ask consult navigate transfer
  withdraw deposit invest sell trade rent return map transcribe segment cut resize crop colour color repair
  align reconcile resolve confirm approve reject grant wash cook clean teach go keep hold ensure determine outline
  compare rank count summarise summarize analyse analyze write book order schedule check`
    .split(/\s+/)
    .filter((verb) => verb !== ""),
);

/** All verbs known here, as they are written in a request. */
export const verbWords = (): Iterable<string> => [...actionsOf.keys(), ...others];

/** True when the word, as it is written, can be an imperative. */
export function isVerb(lower: string): boolean {
  return actionsOf.has(lower) || others.has(lower);
}

/** What the verb asks for; empty for a word that is not a verb known here. */
export function actionsOfVerb(lower: string): ReadonlySet<Action> {
  const exact = actionsOf.get(lower);
  if (exact !== undefined) return exact;
  return stemmed.get(stem(lower)) ?? (others.has(lower) ? other : none);
}

const none: ReadonlySet<Action> = new Set();
const other: ReadonlySet<Action> = new Set<Action>(["other"]);
