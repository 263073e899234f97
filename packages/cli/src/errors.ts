/** Codes of `CliError`. Each line says when; `details` name what was given. */
export const CliErrorCode = {
  /** Arguments or options that do not fit; `details.option`. Cure: `--help` shows what the command takes. */
  USAGE: "CLI_USAGE",
  /** No plan file, saved plan or run has this name; `details.name`. Cure: `planloom list` shows what there is. */
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
  /** The plan has errors; `details.issues`. Cure: Mend what `details.issues` names. */
  INVALID_PLAN: "CLI_INVALID_PLAN",
} as const;
export type CliErrorCode = (typeof CliErrorCode)[keyof typeof CliErrorCode];

/** A mistake in how the command was called. `hint` says what to do. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: CliErrorCode,
    message: string,
    options: { hint?: string; details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}
