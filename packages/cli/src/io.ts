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

export function processIo(signal: AbortSignal): CliIo {
  return { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), signal };
}
