import { PlanloomError, PlanloomErrorCode } from "planloom";
import { type OptionChecks, optionChecker } from "planloom/plan";

/** What is recorded beside names, times and counts. */
export interface OpenTelemetryOptions {
  /**
   * Whether spans have what was said and passed: messages of models, arguments and results of tools. It may be personal or secret.
   * @default false; true where OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is `true`
   */
  readonly content?: boolean;
  /**
   * Called with each value before it is recorded as content, after the secrets of the run were blanked; what it returns is recorded. It is
   * plain JSON. What it throws leaves the value out. @default the value as it is
   */
  readonly redact?: (value: unknown, about: ContentAbout) => unknown;
  /** Content of more characters is cut. @default 8_192 */
  readonly maxContentLength?: number;
  /** Whether failed spans have the message of the error beside its code; messages of tools may quote what they were given. @default true */
  readonly errorMessages?: boolean;
  /** @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Which content it is, and of what. */
export interface ContentAbout {
  readonly attribute: string;
  /** The tool, agent or model. */
  readonly of: string;
}

const checks = {
  content: "boolean",
  redact: "function",
  maxContentLength: "positive",
  errorMessages: "boolean",
  environment: "object",
} as const satisfies OptionChecks<OpenTelemetryOptions>;

const checkOptions = optionChecker(
  (message, details) => new PlanloomError(PlanloomErrorCode.OPTION, message, { details }),
);

export type Settings = Required<Omit<OpenTelemetryOptions, "environment">>;

/** @throws PlanloomError OPTION */
export function readOptions(options: OpenTelemetryOptions): Settings {
  checkOptions("`openTelemetry`", options, checks);
  const { environment = process.env, redact = (value: unknown) => value } = options;
  const asked = environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? "";
  return {
    content: options.content ?? /^(?:true|span_only|span_and_event)$/i.test(asked.trim()),
    redact,
    maxContentLength: options.maxContentLength ?? 8_192,
    errorMessages: options.errorMessages ?? true,
  };
}
