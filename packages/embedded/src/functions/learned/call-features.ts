/** What speaks for a segment being a call of a resource. The order is that of the weights. */
export const callFeatures = [
  "bias",
  "in name",
  "in description",
  "in choices",
  "in parameters",
  "in about",
  "in outputs",
  "reading verb in name",
  "reading verb in description",
  "acting verb in name",
  "acting verb in description",
  "related in name",
  "related in description",
  "kind in name",
  "definite in name",
  "name covered",
  "whole name",
  "opening verb",
  "opening verb described",
  "general verb in name",
  "opening action",
  "other action",
  "changes where reading is asked",
  "writes where reading is asked",
  "reads where a change is asked",
  "same act on what is named",
  "same sort of act",
  "other sort of act",
  "contrary act",
  "opens with and",
  "opens with an order",
  "opens with a preposition",
  "opens a subordinate clause",
  "further verbs",
  "further questions",
  "verb of another",
  "number for none",
  "date for a date",
  "quotation for a text",
  "written for it",
  "written for none",
  "same act on what is written",
  "behind the best",
  "behind the nearest",
  "near in meaning",
  "acts on what is named",
  "another acts on it",
  "takes what is identified",
  "another takes what is identified",
  "needs a statement",
  "tells what is asked for",
  "another names what is said",
] as const;

/** What speaks for a chunk that calls for nothing. */
export const skipFeatures = ["verb skipped", "question skipped"] as const;

/** What speaks for a call because of the others. The order is that of the weights. */
export const linkFeatures = ["fed", "surely linked", "unfed", "unfed and bare", "weak and loose"] as const;

/** The place of each feature. */
export const callFeatureAt = Object.fromEntries(callFeatures.map((name, index) => [name, index])) as {
  readonly [Name in (typeof callFeatures)[number]]: number;
};
