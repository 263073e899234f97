import { planGoal } from "@planloom/embedded";
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
    ["a vowel that sounds like the right one", "List the inspictions of the beehive 'Lime'"],
    ["a letter beside the right one on a keyboard", "List the inspevtions of the beehive 'Lime'"],
  ])("%s", (_, goal) => {
    expect(planned(goal)).toEqual([["list_inspections", { beehive: "Lime" }]]);
  });

  test("in a verb", () => {
    expect(planned("Please schdule the treatment of the beehive 'Lime' with the remedy 'thymol'")).toEqual(
      planned("Please schedule the treatment of the beehive 'Lime' with the remedy 'thymol'"),
    );
  });

  test("what was read as another word is in the metadata, and no value is", () => {
    const readAs = (goal: string) => planGoal(goal, apiary).plan.metadata?.read_as;
    expect(readAs("List the insepctions of the beehive 'Lime'")).toEqual([
      { text: "insepctions", as: "inspections", start: 9 },
    ]);
    expect(readAs("List the inspections of the beehive 'Lime'")).toBeUndefined();
    expect(readAs("List the inspections of the beehive colonnies")).toBeUndefined();
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
    ["another letter that is not beside it", "stattons"],
    ["a vowel beside the right one", "plonets"],
    ["another last letter", "planetd"],
    ["another form", "station"],
    ["a short word", "plats"],
    ["another first letter", "lanets"],
    ["a word that is known", "country"],
    ["a capital or a digit", "Countyr"],
  ])("%s", (_, word) => {
    expect(spelling(word)).toBeUndefined();
  });

  test("a letter beside the right one on a keyboard, in long words", () => {
    expect(spelling("statuons")).toBeUndefined();
    expect(spelling("stationrd")).toBeUndefined();
    expect(spelling("coumtry")).toBe("country");
    expect(spelling("plamets")).toBe("planets");
  });

  test("two words that come into question are none", () => {
    expect(spellingOf(["country", "county"])("counrty")).toBeUndefined();
  });

  test("British and American spelling", () => {
    expect(spellingOf(["canceled", "colored"])("cancelled")).toBe("canceled");
  });
});
