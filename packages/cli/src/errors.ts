import { CodedError, type CodedErrorOptions } from "planloom/coded-error";

/** Codes of `CliError`. Each line says when; `details` name what was given. */
export const CliErrorCode = {
  /** Arguments or options that do not fit; `details.option`. Cure: `--help` shows what the command takes. */
  USAGE: "CLI_USAGE",
  /** Nothing has this name that may be a plan's or a run's, a file's or a folder's; `details.name`. Cure: `planloom list` shows what there is. */
  NOT_FOUND: "CLI_NOT_FOUND",
  /** A prefix fits several ids; `details.candidates`. Cure: Give more of the id; `details.candidates` lists those that fit. */
  AMBIGUOUS: "CLI_AMBIGUOUS",
  /** A configuration file cannot be used; `details.file`, `cause`. Cure: Mend the file or the setting that the message names. */
  CONFIG: "CLI_CONFIG",
  /**
   * A configuration, server or controller that the user neither named nor trusts; `details.file`, or `starts`. Cure: Name the file yourself, or
   * trust its folder with `planloom trust`.
   */
  UNTRUSTED: "CLI_UNTRUSTED",
} as const;
export type CliErrorCode = (typeof CliErrorCode)[keyof typeof CliErrorCode];

/** Codes that say the same here as in the library and over HTTP. */
export const SharedErrorCode = {
  INVALID_PLAN: "PLANLOOM_INVALID_PLAN",
  PLAN_NOT_FOUND: "PLANLOOM_PLAN_NOT_FOUND",
  RUN_NOT_FOUND: "RUNTIME_RUN_NOT_FOUND",
  TASK_NOT_FOUND: "RUNTIME_TASK_NOT_FOUND",
} as const;
export type SharedErrorCode = (typeof SharedErrorCode)[keyof typeof SharedErrorCode];

/** A mistake in how the command was called. `hint` says what to do. */
export class CliError extends CodedError<CliErrorCode | SharedErrorCode> {
  override readonly name = "CliError";
  readonly hint: string | undefined;

  constructor(
    code: CliErrorCode | SharedErrorCode,
    message: string,
    { hint, ...options }: CodedErrorOptions & { readonly hint?: string } = {},
  ) {
    super(code, message, options);
    this.hint = hint;
  }
}
