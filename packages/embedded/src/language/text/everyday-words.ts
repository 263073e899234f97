import { stem } from "./stem.ts";

/**
 * Everyday words that say the same where one of a few values is to be chosen: ways to travel, orders, degrees, states. General English;
 * the words of a row may replace one another, several words that belong together are joined by "_".
 */
const same: readonly string[] = [
  "driving drive car auto automobile",
  "walking walk foot pedestrian",
  "bicycling bicycle bike cycling cycle",
  "transit public_transport public_transit bus train tram subway metro",
  "ascending asc oldest earliest increasing alphabetical lowest",
  "descending desc newest latest recent decreasing highest",
  "high urgent important",
  "critical blocker severe",
  "low minor unimportant",
  "medium normal moderate average",
  "open active ongoing unresolved pending",
  "closed close done finished completed complete resolved",
  "daily day everyday",
  "weekly week",
  "monthly month",
  "yearly annually annual year",
  "hourly hour",
  "metric celsius centigrade kilometers",
  "imperial fahrenheit miles",
  "small little tiny",
  "large big huge",
  "all every everything both",
];

/** Words that deny one another where something is switched. */
const opposites: readonly (readonly [string, string])[] = [
  ["public", "private"],
  ["visible", "hidden"],
  ["visible", "invisible"],
  ["open", "closed"],
  ["required", "optional"],
  ["active", "paused"],
  ["online", "offline"],
  ["recursive", "flat"],
  ["published", "draft"],
  ["enabled", "disabled"],
];

const rows = same.map((row) => row.split(" ").map((words) => words.split("_").map(stem)));
const byStem = new Map<string, readonly (readonly string[])[]>();
for (const row of rows) for (const words of row) byStem.set(words.join(" "), row);

/** Other ways to say a value, each as stems, by the stems of the value; none for a word that is not an everyday one. */
export const saidAlike = (stems: readonly string[]): readonly (readonly string[])[] =>
  byStem.get(stems.join(" ")) ?? [];

const denied = new Map<string, readonly string[]>();
for (const [left, right] of opposites)
  for (const [own, other] of [
    [left, right],
    [right, left],
  ] as const)
    denied.set(stem(own), [...(denied.get(stem(own)) ?? []), stem(other)]);

/** Stems of the words that deny a word, by its stem. */
export const oppositesOf = (word: string): readonly string[] => denied.get(word) ?? [];
