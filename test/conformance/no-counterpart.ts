/** Features, or seed and feature, that are not run, with the reason. The first entry that fits counts. */
export const noCounterpart: readonly { readonly matches: RegExp; readonly reason: string }[] = [
  { matches: /^\d+\.replan\./, reason: "replanning is not built yet" },
  { matches: /^003\.controller\./, reason: "the HTTP controller service is not built yet" },
  {
    matches: /^001\.intent\.recognize$/,
    reason: "no counterpart: plans are made from schemas, not from a table of intents",
  },
  { matches: /^001\.message\.classify$/, reason: "no counterpart: a chat's turns are the caller's" },
  { matches: /^003\.workflow\./, reason: "no counterpart: another, later library of the same authors" },
  { matches: /^003\.optimizer\.inputs$/, reason: "the optimizer that asks a model is not built yet" },
  {
    matches: /^002\.(guard|plan\.resume|checkpoint)\b/,
    reason: "guards and this program's checkpoints are not built yet",
  },
  {
    matches: /^002\.(command|store\.behaviour)\b/,
    reason: "no counterpart: the command line and the store are our own",
  },
  { matches: /^002\.(plantools|step\.agentic|llm)\b/, reason: "plans as tools, steps led by a model: not built yet" },
  { matches: /^002\.plan\.barrier$/, reason: "the input is described in words; 2026-11-21-eager-runs.md" },
  { matches: /^004\.(?!plan\.|prompt\.(input|executedSteps)$)/, reason: "the replanning loop is not built yet" },
];
