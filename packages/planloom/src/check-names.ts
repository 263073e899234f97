import { unknownOption } from "@planloom/plan";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";

/** @param of what takes the options, as it reads in a sentence. @throws PlanloomError OPTION for an unknown option */
export function checkNames(of: string, options: unknown, known: readonly string[]): void {
  const unknown = unknownOption(of, options, known);
  if (unknown !== undefined) throw new PlanloomError(PlanloomErrorCode.OPTION, unknown.message, unknown);
}
