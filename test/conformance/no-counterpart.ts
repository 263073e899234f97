/** Features, or seed and feature, that are not run, with the reason. The first entry that fits counts. */
export const noCounterpart: readonly { readonly matches: RegExp; readonly reason: string }[] = [
  { matches: /^003\.controller\./, reason: "the HTTP controller service is not built yet" },
  {
    matches: /^001\.intent\.recognize$/,
    reason: "no counterpart: plans are made from schemas, not from a table of intents",
  },
  { matches: /^001\.message\.classify$/, reason: "no counterpart: a chat's turns are the caller's" },
  { matches: /^003\.workflow\./, reason: "no counterpart: another, later library of the same authors" },
  { matches: /^003\.optimizer\.inputs$/, reason: "the optimizer that asks a model is not built yet" },
];
