import { callFeatures, linkFeatures, skipFeatures } from "./call-features.ts";

/**
 * By feature of `lattice.ts`: what it adds to a call, or to leaving a chunk out; one that is missing adds nothing. Learned
 * by `test/bench/plans-train-calls.ts` from half of public benchmarks within bounds (no sign against reason), with and
 * without a lexical resource and with few and many tools, then rounded; tried by hand after that where tests of other
 * catalogues fell ("opening verb", "verb of another").
 */
const learned: Readonly<Record<string, number>> = {
  bias: -0.75,
  "in name": 0.9,
  "in description": 0.55,
  "in choices": 0.2,
  "in parameters": 0.5,
  "in about": 0.5,
  "in outputs": 0.5,
  "reading verb in name": 0.5,
  "reading verb in description": 0.2,
  "acting verb in name": 0.7,
  "acting verb in description": 0.6,
  "related in name": 0.5,
  "related in description": 0.3,
  "definite in name": -0.2,
  "name covered": 0.1,
  "whole name": 0.35,
  "opening verb": 0.3,
  "opening action": 0.05,
  "other action": -0.075,
  "changes where reading is asked": -2,
  // Set by hand, like the two of written values: benchmarks hold few tools that say what they change, and few paths.
  "writes where reading is asked": -0.6,
  "reads where a change is asked": -0.6,
  "opening verb described": 0.3,
  // Set by hand: it decides between tools that fit alike ("list the …" and `list_…`, `get_…`).
  "general verb in name": 0.25,
  "kind in name": 0.5,
  "same act on what is named": 0.4,
  "contrary act": -0.8,
  "same sort of act": 0.3,
  "other sort of act": -0.15,
  "opens with and": -0.2,
  "opens with an order": 0.6,
  "opens a subordinate clause": -0.45,
  "opens with a preposition": -0.3,
  "number for none": -0.15,
  "date for a date": 0.4,
  "quotation for a text": 0.1,
  "written for it": 0.4,
  "same act on what is written": 0.6,
  "written for none": -0.4,
  "further verbs": -0.25,
  "verb of another": -0.25,
  "behind the best": -0.175,
  "verb skipped": -0.075,
  // Set by hand: few plans of benchmarks have a second need that is said in a few words.
  "further questions": -0.3,
  "question skipped": -0.3,
  // What an encoder says, where one is given.
  "behind the nearest": -0.3,
  "near in meaning": 0.075,
  // Set by hand: tools of one server share their nouns, and those of benchmarks seldom do.
  "acts on what is named": 0.1,
  "another acts on it": -0.6,
  // Set by hand: an id that is said with its noun belongs to a tool that takes such ids.
  "takes what is identified": 0.1,
  "another takes what is identified": -0.9,
  // Set by hand: it decides between tools that fit alike.
  "needs a statement": -0.05,
  // Set by hand: what a description opens with tells tools apart that share their nouns.
  "tells what is asked for": 0.2,
  // Set by hand: what a tool gets is mostly said.
  "another names what is said": -0.15,
  // What the other calls say.
  "weak and loose": -0.3,
  fed: 0.45,
  unfed: -0.05,
  "surely linked": 0.3,
  "unfed and bare": -0.15,
};

export const callWeights = Float64Array.from(
  [...callFeatures, ...skipFeatures, ...linkFeatures],
  (name) => learned[name] ?? 0,
);
