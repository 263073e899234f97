/** Features, or seed and feature, that are not run, with the reason. The first entry that fits counts. */
export const noCounterpart: readonly { readonly matches: RegExp; readonly reason: string }[] = [
  {
    matches: /^001\.intent\.recognize$/,
    reason: "plans are made from schemas, not from a table of intents: 2026-11-22-what-conformance-leaves-out.md",
  },
  {
    matches: /^001\.message\.classify$/,
    reason: "a chat's turns are the host's: 2026-11-22-what-conformance-leaves-out.md",
  },
  {
    matches: /^003\.workflow\./,
    reason: "another, later library of the same authors: 2026-11-22-what-conformance-leaves-out.md",
  },
];
