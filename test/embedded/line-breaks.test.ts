import { expect, test } from "vitest";
import { softBreaksIn } from "../../packages/embedded/src/language/clauses/line-breaks.ts";
import { text, toolNeeding } from "../support/tool-records.ts";
import { callsOf } from "./calls-of.ts";

const mill = [
  toolNeeding("grind_grain", "Grind grain of a bin to flour", {
    bin: text("Name of the bin"),
    stone: text("Name of the stone to grind with"),
  }),
  { ...toolNeeding("list_bins", "List the bins of a mill", { mill: text("Name of the mill") }), read_only: true },
];
const planned = (goal: string) => callsOf(goal, mill);

test.each([
  ["before a small word", "Grind the grain of the bin 'east'\nwith the stone 'old'"],
  ["after a small word", "Grind the grain of the\nbin 'east' with the stone 'old'"],
  ["with blanks around", "Grind the grain of the bin 'east'  \n   with the stone 'old'"],
  ["as programs wrap lines", "Grind the grain of the bin 'east', which is all that is left, with\nthe stone 'old'"],
])("a line break %s changes no plan", (_, goal) => {
  expect(planned(goal)).toEqual([["grind_grain", { bin: "east", stone: "old" }]]);
});

test("requests on lines of their own stay apart", () => {
  expect(planned("Grind the grain of the bin 'east' with the stone 'old'\nlist the bins of the mill 'Brook'")).toEqual([
    ["grind_grain", { bin: "east", stone: "old" }],
    ["list_bins", { mill: "Brook" }],
  ]);
});

test("a break in quotation marks is part of what is quoted", () => {
  expect(softBreaksIn('Grind "east\nof here" with\nthe stone')).toEqual([{ start: 25, end: 26 }]);
});
