import type { ChildProcess } from "node:child_process";

/** What ended a measurement before all of its kills were done. */
export type FaultsEnd = "deadline" | "interrupt";

/** Says how far the kills are, and when they have to stop. */
export interface FaultsWatch {
  /** Aborted when the measurement has to stop. */
  readonly signal: AbortSignal;
  /** @param kills how many have been done in this phase @param runs how many runs have come to their end and were checked */
  killed(kills: number, runs: number): void;
  /** A process that is ended with the measurement. */
  owns<Child extends ChildProcess>(child: Child): Child;
}

/** The terminal, or file, that progress is written to. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** How far the kills are: a line for each kill and each phase, on a terminal one line that is written over. */
export class FaultsProgress implements FaultsWatch, Disposable {
  readonly #wanted: number;
  readonly #output: ProgressOutput;
  readonly #stop = new AbortController();
  readonly #children = new Set<ChildProcess>();
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #phase = "";
  #endedBy: FaultsEnd | undefined;

  /** @param options.kills how many are wanted in each phase. @param options.seconds how long the measurement may take. @default as long as it takes */
  constructor(options: {
    readonly kills: number;
    readonly seconds?: number | undefined;
    readonly output?: ProgressOutput;
  }) {
    const { kills, seconds, output = process.stderr } = options;
    this.#wanted = kills;
    this.#output = output;
    process.on("SIGINT", this.#interrupt);
    if (seconds !== undefined) this.#timer = setTimeout(() => this.#end("deadline"), seconds * 1_000);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** What ended the measurement early; undefined as long as it goes on. */
  get endedBy(): FaultsEnd | undefined {
    return this.#endedBy;
  }

  get seconds(): number {
    return Math.round((performance.now() - this.#began) / 100) / 10;
  }

  /** What follows is of this phase. */
  begin(phase: string): void {
    this.#phase = phase;
    this.#say(phase);
  }

  killed(kills: number, runs: number): void {
    this.#say(`${this.#phase}: ${kills} of ${this.#wanted} kills, ${runs} run${runs === 1 ? "" : "s"} checked`);
  }

  owns<Child extends ChildProcess>(child: Child): Child {
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    if (this.signal.aborted) child.kill("SIGKILL");
    return child;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    process.off("SIGINT", this.#interrupt);
    if (this.#output.isTTY === true) this.#output.write("\r\u001b[K");
  }

  readonly #interrupt = (): void => {
    // Someone who asks twice does not want to wait for the report.
    if (this.#endedBy === "interrupt") process.exit(130);
    this.#end("interrupt");
  };

  #end(by: FaultsEnd): void {
    this.#endedBy ??= by;
    this.#stop.abort();
    for (const child of this.#children) child.kill("SIGKILL");
  }

  #say(text: string): void {
    const line = `${this.seconds} s  ${text}`;
    this.#output.write(this.#output.isTTY === true ? `\r\u001b[K${line}` : `${line}\n`);
  }
}

/** False for a process that has ended, also by a signal. */
export function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
