/** A place to write text, such as `process.stdout` and `process.stderr`. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width in characters. @default 100 */
  readonly columns?: number;
}

/** Everything a command touches outside its arguments, so that tests can replace it. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The address of the database that runs are in. @default PLANLOOM_ON, or a file of the home */
  readonly on?: string;
  /** The words of the command, for reports that say how they were made. */
  readonly words?: readonly string[];
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** What is typed or piped in, for commands that talk. */
  readonly input?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Asks the person at the terminal; `undefined` where the input ends or the program is interrupted. Absent where the input is not a terminal. */
  readonly ask?: (question: string) => Promise<string | undefined>;
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

/** Control characters that JSON leaves unescaped (0x7f to 0x9f) and bidirectional marks as escapes, in quoted texts alone. */
export function escapedOdd(quoted: string): string {
  return quoted.replace(odd, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function processIo(signal: AbortSignal): CliIo {
  const { stdin, stdout, stderr, env } = process;
  const someoneIsThere = stdin.isTTY === true && stdout.isTTY === true && (env.CI ?? "") === "";
  const ask = (question: string) => askOnTerminal(question, signal);
  return { stdout, stderr, env, cwd: process.cwd(), signal, input: stdin, ...(someoneIsThere && { ask }) };
}

/** One line of the terminal, which stays in its own mode, so that Ctrl-C is the signal that it always is. */
async function askOnTerminal(question: string, signal: AbortSignal): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, terminal: false });
  process.stdout.write(question);
  try {
    return await new Promise<string | undefined>((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => resolve(undefined));
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
  } finally {
    lines.close();
    // A pending read of input would keep the process alive.
    process.stdin.pause();
  }
}
