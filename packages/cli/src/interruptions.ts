import { constants } from "node:os";
import { ExitCode } from "./exit-code.ts";

/** Signals that ask the program to end: Ctrl-C, a service manager, a terminal that was closed. */
const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Name = (typeof names)[number];

/** A closed terminal, and package managers that pass signals on, send one signal twice within so many milliseconds. */
const echoMs = 200;

export interface Interruptions {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** What the process exits with: 128 and the signal's number where the work was broken off by one. */
  exitCode(code: number): number;
}

/** The first signal lets the work record its state and end what it started; a later one ends the process at once. */
export function listenForSignals(): Interruptions {
  const interrupt = new AbortController();
  let first: { readonly name: Name; readonly at: number } | undefined;
  for (const name of names) {
    process.on(name, () => {
      if (first === undefined) {
        first = { name, at: performance.now() };
        const reason = new DOMException(`Interrupted by ${name}`, "AbortError");
        // Ctrl-C is a person who cancels; the others end the program, which does not cancel its runs.
        interrupt.abort(name === "SIGINT" ? reason : Object.assign(reason, { endReason: "shut_down" }));
      } else if (performance.now() - first.at > echoMs) process.exit(codeOf(name));
    });
  }
  return {
    signal: interrupt.signal,
    exitCode: (code) => (code === ExitCode.INTERRUPTED && first !== undefined ? codeOf(first.name) : code),
  };
}

const codeOf = (name: Name): number => 128 + constants.signals[name];
