import type { JobInput, Resource } from "@planloom/plan";
import { readCatalogue } from "./catalogue/catalogue.ts";
import { checkOptions } from "./check-options.ts";
import { isAboutRecords } from "./choose-planner.ts";
import { readGoalText } from "./goal-text.ts";
import { cutChunks } from "./language/clauses/chunks.ts";
import { readClock } from "./language/temporal/calendar.ts";
import { tokenise } from "./language/text/token.ts";
import type { Encode } from "./meaning/encode.ts";
import { type Meaning, passagesOf, readMeaning } from "./meaning/meaning.ts";
import { type PlanGoalOptions, planGoalChecks } from "./plan-goal.ts";

/**
 * What `planGoal` takes as `meaning`: vectors of the goal's sentences and their pieces, at most 64, in one request to the
 * encoder, and of the resources' names and descriptions, once an array of resources, 256 a request; equal texts of resources
 * are encoded once (the last 5,000 are kept).
 * @param options as `planGoal` is given them; `signal` goes to the encoder
 * @returns undefined where meanings are not asked for: goals about records, or fewer than three
 * @throws EmbeddedError ENCODER when the encoder fails or yields something else than vectors of one length; OPTION; the
 * signal's reason when that is aborted
 */
export async function encodeGoal(
  goal: string | JobInput,
  resources: readonly Resource[],
  encode: Encode,
  options: PlanGoalOptions & { readonly signal?: AbortSignal } = {},
): Promise<Meaning | undefined> {
  checkOptions("`encodeGoal`", options, { ...planGoalChecks, signal: "signal" });
  options.signal?.throwIfAborted();
  const catalogue = readCatalogue(resources);
  const { text, dates, prefix } = readGoalText(goal, readClock(options), options.context, catalogue, "all");
  if (isAboutRecords(text.slice(prefix.length), catalogue)) return undefined;
  const tokens = tokenise(text, dates);
  return readMeaning(encode, passagesOf(text, tokens, cutChunks(tokens, catalogue)), resources, options.signal);
}
