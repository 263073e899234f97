import { describe, expect, test } from "vitest";
import { spellingOf } from "../../packages/embedded/src/language/text/slips.ts";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const apiary = [
  {
    ...toolNeeding("list_inspections", "List the inspections of a beehive", { beehive: text("Name of the beehive") }),
    read_only: true,
  },
  {
    ...toolNeeding("list_colonies", "List the colonies of a beekeeper", { beekeeper: text("Name of the beekeeper") }),
    read_only: true,
  },
  toolNeeding("schedule_treatment", "Schedule a treatment of a beehive", {
    beehive: text("Name of the beehive"),
    remedy: text("What the bees are treated with"),
  }),
];
const planned = (goal: string) => callsOf(goal, apiary);

describe("a slip of the pen changes no plan", () => {
  test.each([
    ["letters exchanged", "List the insepctions of the beehive 'Lime'"],
    ["a letter left out", "List the inspctions of the beehive 'Lime'"],
    ["a letter doubled", "List the insspections of the beehive 'Lime'"],
    ["a slip in the noun of the value", "List the inspections of the behive 'Lime'"],
  ])("%s", (_, goal) => {
    expect(planned(goal)).toEqual([["list_inspections", { beehive: "Lime" }]]);
  });

  test("in a verb", () => {
    expect(planned("Please schdule the treatment of the beehive 'Lime' with the remedy 'thymol'")).toEqual(
      planned("Please schedule the treatment of the beehive 'Lime' with the remedy 'thymol'"),
    );
  });

  test("a value keeps its letters", () => {
    expect(planned("List the inspections of the beehive colonnies")).toEqual([
      ["list_inspections", { beehive: "colonnies" }],
    ]);
  });
});

describe("only slips are read as the word that they mean", () => {
  const spelling = spellingOf(["planets", "country", "message", "messages", "stations", "stationed"]);
  test.each([
    ["another letter", "massage"],
    ["another form", "station"],
    ["a short word", "plats"],
    ["another first letter", "lanets"],
    ["a word that is known", "country"],
    ["a capital or a digit", "Countyr"],
  ])("%s", (_, word) => {
    expect(spelling(word)).toBeUndefined();
  });

  test("two words that come into question are none", () => {
    expect(spellingOf(["country", "county"])("counrty")).toBeUndefined();
  });

  test("British and American spelling", () => {
    expect(spellingOf(["canceled", "colored"])("cancelled")).toBe("canceled");
  });
});
