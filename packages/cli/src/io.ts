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
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
}

/** One value for another program, on stdout. */
export function writeJson(io: CliIo, value: unknown): void {
  io.stdout.write(jsonText(value));
}

/** A value as JSON, with a line end, safe to look at: see `escapedOdd`. */
export function jsonText(value: unknown): string {
  return `${escapedOdd(JSON.stringify(value, null, 2))}\n`;
}

const odd = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/gu;

/** Whether a text holds what could steer a terminal: control characters, marks that turn the direction. */
export function hasOdd(text: string): boolean {
  return text.search(odd) !== -1;
}

/** Control characters that JSON lets stand (0x7f to 0x9f) and bidirectional marks as escapes, in quoted texts alone. */
export function escapedOdd(quoted: string): string {
  return quoted.replace(odd, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function processIo(signal: AbortSignal): CliIo {
  return { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), signal };
}
