/** What tells plans that call the right resources from others. The order is that of the weights. */
export const confidenceFeatures = [
  "bias",
  "calls",
  "tools",
  "weakest call",
  "narrowest choice",
  "missing",
  "left out",
  "likelihood",
  "unlikely",
  "words elsewhere",
  "words nowhere",
  "added",
  "repeated",
  "linked",
  "alone",
] as const;
