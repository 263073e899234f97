import { describeValue } from "@planloom/plan/internals";
import { PlanloomError, PlanloomErrorCode } from "../errors.ts";

/** Ids are made by Planloom or by people; no schedule has a longer one. */
const maxCharacters = 1_000;

/** @throws PlanloomError OPTION for what cannot be the id of a schedule */
export function checkScheduleId(id: unknown): asserts id is string {
  if (typeof id === "string" && id.length <= maxCharacters) return;
  const message = `Expected the id of a schedule to be a text of at most ${maxCharacters} characters, got ${describeValue(id)}.`;
  throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "id" } });
}
