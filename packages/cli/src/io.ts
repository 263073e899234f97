/** A place to write text; `process.stdout` and `process.stderr` are such. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width in characters. @default 100 */
  readonly columns?: number;
}

/** Everything a command touches outside its arguments, so that tests can hand in their own. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/**
 * One value for another program, on stdout. Control characters that JSON lets stand (0x7f to 0x9f) and bidirectional marks
 * are escaped, which changes no value: a person may look at it too.
 */
export function writeJson(io: CliIo, value: unknown): void {
  const text = JSON.stringify(value, null, 2).replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (odd) =>
    odd === "\n" ? odd : `\\u${odd.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  io.stdout.write(`${text}\n`);
}

export function processIo(signal: AbortSignal): CliIo {
  return { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), signal };
}
