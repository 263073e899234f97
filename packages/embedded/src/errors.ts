import { CodedError } from "@planloom/plan/coded-error";

/** Codes of `EmbeddedError`. Each line says when it is thrown and which `details` it carries. */
export const EmbeddedErrorCode = {
  /** Words that name no day or range of days; `details.reference`. Cure: Write the date in ISO 8601. */
  UNKNOWN_TEMPORAL: "EMBEDDED_UNKNOWN_TEMPORAL",
  /**
   * An option is unknown or of a wrong type, or `now` or `timeZone` is not a date or an IANA zone; `details.option`, `details.value`,
   * `details.candidates`. Cure: Give the option as its documentation says, or take one of the names in `details.candidates`.
   */
  OPTION: "EMBEDDED_OPTION",
  /**
   * The encoder failed (`cause`) or yielded no vectors of one length; `details.expected`, `details.actual`, `details.index`. Cure: Mend the
   * encoder so that it gives one vector of the same length for each text.
   */
  ENCODER: "EMBEDDED_ENCODER",
} as const;
export type EmbeddedErrorCode = (typeof EmbeddedErrorCode)[keyof typeof EmbeddedErrorCode];

/** The one error class of this package; distinguished by `code`. A goal that cannot be planned is a reply, never an error. */
export class EmbeddedError extends CodedError<EmbeddedErrorCode> {
  override readonly name = "EmbeddedError";
}
