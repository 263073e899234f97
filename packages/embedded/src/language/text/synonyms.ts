import { stem } from "./stem.ts";

/**
 * Nouns of everyday English that people say for one another. Written for this planner, from no list of anybody's; a row holds what most
 * people would take for the same, whatever they work on. Terms of a trade do not belong here.
 */
const rows: readonly string[] = [
  "picture photo photograph image snapshot pic",
  "movie film",
  "event concert gig festival",
  "song track",
  "bill invoice",
  "customer client buyer",
  "person people user member individual",
  "folder directory",
  "file document doc",
  "website site webpage page",
  "mail email",
  "chat conversation discussion thread",
  "dm message",
  "appointment meeting event",
  "task todo chore",
  "ticket issue problem bug",
  "remark comment note",
  "workout exercise training activity",
  "holiday vacation leave",
  "money balance funds cash",
  "cost price fee",
  "worker employee staff colleague",
  "company organisation organization business firm",
  "team group crew",
  "shop store",
  "car vehicle",
  "road street",
  "flat apartment",
  "writer author",
  "history log",
  "modification change edit revision",
  "failure error fault",
  "label tag",
  "deadline due",
  "place location spot",
  "trip journey",
  "boss manager",
  "goods product item article",
  "purchase order",
  "parcel package delivery",
  "transaction payment",
  "review rating",
  "booking reservation",
  "summary overview digest",
  "agenda calendar schedule timetable",
  "preference setting option configuration",
  "permission access right",
  "stats statistics figures metrics",
  "loudness volume",
  "machine host server",
  "alarm alert warning notification",
  "attempt effort try",
  "headline heading title",
  "favourite favorite star bookmark",
  "pal friend contact",
  "county region area district",
  "city town",
  "answer reply response",
  "pin marker",
  "speech voice",
  "sketch drawing",
  "job position vacancy",
  "pupil student",
  "doctor physician",
  "illness disease",
  "medicine drug medication",
];

const byStem = new Map<string, readonly string[]>();
for (const row of rows) {
  const stems = [...new Set(row.split(" ").map(stem))];
  for (const each of stems)
    byStem.set(
      each,
      [...new Set([...(byStem.get(each) ?? []), ...stems])].filter((other) => other !== each),
    );
}

const none: readonly string[] = [];

/** Stems of the nouns that mean the same in everyday English, by the stem of one. */
export const synonymsOf = (noun: string): readonly string[] => byStem.get(noun) ?? none;
