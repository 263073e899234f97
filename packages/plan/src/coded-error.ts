/** What goes with the code and the message of an error. */
export interface CodedErrorOptions {
  /** What the error is about, by the names that the documentation of its code gives. @default {} */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * What all error classes of Planloom extend, one class a package: `code` says which error it is and does not change with the message. All codes are
 * in `docs/errors.md`.
 */
export abstract class CodedError<Code extends string = string> extends Error {
  abstract override readonly name: string;
  readonly code: Code;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, { details = {}, cause }: CodedErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}
