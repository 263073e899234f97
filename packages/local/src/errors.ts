import { CodedError } from "@planloom/plan/coded-error";

/** Codes of `LocalError`. Each line says when it is thrown and which `details` it carries. */
export const LocalErrorCode = {
  /**
   * An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is
   * misspelt. Cure: Give the option as its documentation says, or take one of the names in `details.candidates`.
   */
  OPTION: "LOCAL_OPTION",
  /** A file is missing or is not a GGUF model; `details.file`. Cure: Pull the model, or name a GGUF file. */
  WEIGHTS: "LOCAL_WEIGHTS",
  /**
   * Neither the user nor the hub says which SHA-256 the file has; `details.url`. Nothing was downloaded. Cure: Give the checksum with
   * `--sha256`.
   */
  NO_CHECKSUM: "LOCAL_NO_CHECKSUM",
  /**
   * What was downloaded, or what the hub offers, has another SHA-256; `details.expected`, `details.got`. Cure: Check the address and the
   * checksum; do not use the file.
   */
  CHECKSUM: "LOCAL_CHECKSUM",
  /**
   * The hub cannot be reached, refuses, or broke off; `details.url`, `details.status` where there is one. What came is kept for the next try.
   * Cure: Try again: the download continues where it broke off.
   */
  DOWNLOAD: "LOCAL_DOWNLOAD",
  /** There is a model of that name already; `details.file`. Cure: Give the model another name. */
  EXISTS: "LOCAL_EXISTS",
  /**
   * Another download to the same name is under way; `details.file` is its lock, `details.pid` and `details.host` its process. Cure: Wait until it has ended, or give the
   * model another name.
   */
  BUSY: "LOCAL_BUSY",
  /**
   * The folder of models cannot be read or written (no space, no right to); `details.folder`, `details.errno`, and `details.needed` and `details.free` in bytes where
   * space was looked for before. Cure: Free space, or name a folder that can be written to.
   */
  DISK: "LOCAL_DISK",
} as const;
export type LocalErrorCode = (typeof LocalErrorCode)[keyof typeof LocalErrorCode];

/** The error class of this package; what a call of the model throws is a `ControllerError`, as of any model. */
export class LocalError extends CodedError<LocalErrorCode> {
  override readonly name = "LocalError";
}
