import { createInterface, type Interface } from "node:readline";
import type { CliIo } from "../io.ts";

/** How long after a Ctrl-C at the prompt a second one leaves, in milliseconds. */
const leaveMs = 2_000;

/** Lines that a person types, or that are piped in. Ctrl-C stops what is in progress; at the prompt a second one leaves. */
export class ChatTerminal {
  /** Whether a person is there who can be asked. */
  readonly isInteractive: boolean;
  readonly #lines: Interface;
  readonly #io: CliIo;
  readonly #typed: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #isClosed = false;
  #asking: Promise<unknown> = Promise.resolve();
  #interruptedAt = Number.NEGATIVE_INFINITY;
  /** Stops the turn in progress; undefined at the prompt. */
  onInterrupt: (() => void) | undefined;

  constructor(io: CliIo) {
    const { input = process.stdin, stdout } = io;
    this.#io = io;
    this.isInteractive = input.isTTY === true && stdout.isTTY === true;
    this.#lines = createInterface({
      input,
      ...(this.isInteractive && { output: stdout as unknown as NodeJS.WritableStream, historySize: 200 }),
      terminal: this.isInteractive,
    });
    this.#lines.on("line", (line) => {
      const give = this.#waiting;
      this.#waiting = undefined;
      if (give === undefined) this.#typed.push(line);
      else give(line);
    });
    this.#lines.on("close", () => {
      this.#isClosed = true;
      this.#waiting?.(undefined);
      // The end of piped input does not stop the answer; a person who closes the terminal does.
      if (this.isInteractive) this.onInterrupt?.();
    });
    this.#lines.on("SIGINT", () => this.#interrupt());
    io.signal.addEventListener("abort", () => this.close(), { once: true });
  }

  /** The next line; undefined where there are no more. */
  read(prompt: string): Promise<string | undefined> {
    const typed = this.#typed.shift();
    if (typed !== undefined || this.#isClosed) return Promise.resolve(typed);
    if (this.isInteractive) {
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
    }
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Asks one question after the other. Lines that were typed before a question was shown are dropped, so that none of them answers it. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    const asked = this.#asking.then(async () => {
      if (signal.aborted || this.#isClosed) return undefined;
      this.#typed.length = 0;
      const stopped = Promise.withResolvers<undefined>();
      const onAbort = () => stopped.resolve(undefined);
      signal.addEventListener("abort", onAbort, { once: true });
      const answer = await Promise.race([this.read(question), stopped.promise]);
      signal.removeEventListener("abort", onAbort);
      if (signal.aborted) this.#waiting = undefined;
      return answer;
    });
    this.#asking = asked;
    return asked;
  }

  close(): void {
    this.#lines.close();
  }

  #interrupt(): void {
    if (this.onInterrupt !== undefined) {
      this.onInterrupt();
      return;
    }
    const now = performance.now();
    if (now - this.#interruptedAt < leaveMs) {
      this.close();
      return;
    }
    this.#interruptedAt = now;
    this.#io.stdout.write("\n(Ctrl-C again, Ctrl-D or /exit leaves.)\n");
    // What was typed of the line is gone.
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#lines.prompt();
  }
}
