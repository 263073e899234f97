import { ControllerError, ControllerErrorCode } from "../errors.ts";

/** The error for an answer that was stopped since it repeated itself. @param text its end */
export function runaway(url: string, text: string, characters: number): ControllerError {
  const message = `The answer from ${url} said the same over and over and was stopped after ${characters} characters; it ended ${JSON.stringify(text)}.`;
  return new ControllerError(ControllerErrorCode.RUNAWAY, message, { details: { url, characters, text } });
}
