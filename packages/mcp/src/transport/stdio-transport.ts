import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { StdioSettings } from "../config/read-config.ts";
import { Allowance, messageCost } from "./allowance.ts";
import { markName } from "./descendants.ts";
import { MessageLines } from "./message-lines.ts";
import { oversizedId, oversizedReply } from "./oversized-reply.ts";
import { endWithThisProcess, ownGroup, ServerProcesses } from "./process-group.ts";
import { StderrTail } from "./stderr-tail.ts";

interface StdioOptions {
  readonly maxResultBytes: number;
  /** From SIGTERM to SIGKILL, in milliseconds. */
  readonly closeGraceMs: number;
  readonly onStderr: (line: string) => void;
}

/** After the end of stdin a well-behaved server leaves by itself. */
const leaveMs = 250;
/** Output may still be in the pipe when a process has exited; a child of its own may hold that pipe for ever. */
const drainMs = 100;

/**
 * A server as a child process, one JSON message a line. Written here rather than taken from the SDK because closing
 * must leave nothing behind: the whole process group ends, by force if need be, and the exit is known and reported.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #settings: StdioSettings;
  readonly #options: StdioOptions;
  readonly #stderr: StderrTail;
  #child: ChildProcess | undefined;
  #processes: ServerProcesses | undefined;
  #ran = false;
  #exit: string | undefined;
  #fault: string | undefined;
  #ended: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #parse: ((value: unknown) => JSONRPCMessage) | undefined;
  #launched: Promise<void> | undefined;
  /** Lines that came before there was a parser, and how many characters they have. */
  readonly #early: string[] = [];
  #earlyLength = 0;
  /** For what it says unasked; an answer to a request costs nothing of it. */
  readonly #unasked = new Allowance();
  readonly #onStderr = new Allowance();
  /** How many holders keep this process alive for the server's process. */
  #holds = 1;

  constructor(settings: StdioSettings, options: StdioOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#stderr = new StderrTail(options.onStderr, settings.secrets);
  }

  /** How the process ended by itself, `code 1` or `signal SIGSEGV`; undefined while it runs, and when `close` ended it. */
  get exit(): string | undefined {
    return this.#exit;
  }
  /** Why it was ended before its time. */
  get fault(): string | undefined {
    return this.#fault;
  }
  /** Its last lines on stderr. */
  get stderr(): string {
    return this.#stderr.text();
  }

  /** Starts the process. Called ahead of `start`, it starts up while the protocol's library is loaded. */
  launch(): Promise<void> {
    this.#launched ??= this.#launch();
    return this.#launched;
  }

  async start(): Promise<void> {
    const [{ parseJSONRPCMessage }] = await Promise.all([import("@modelcontextprotocol/client"), this.launch()]);
    this.#parse = parseJSONRPCMessage;
    for (const line of this.#early.splice(0)) this.#receive(line);
    this.#child?.stdout?.resume();
  }

  /**
   * Keeps this process alive until the returned function is called. It is kept from the start of the server until the first
   * `release`; after that a server without work does not keep it.
   */
  hold(): () => void {
    this.#holds++;
    this.#refer();
    return () => this.release();
  }

  /** Gives back one hold. */
  release(): void {
    this.#holds = Math.max(0, this.#holds - 1);
    this.#refer();
  }

  #refer(): void {
    const child = this.#child;
    if (child === undefined) return;
    const keep = this.#holds > 0;
    for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
      // Pipes are sockets, which the types of a child process do not say.
      const referable = handle as { ref?(): void; unref?(): void } | null;
      if (keep) referable?.ref?.();
      else referable?.unref?.();
    }
  }

  async #launch(): Promise<void> {
    const child = await this.#spawn();
    this.#child = child;
    const release = endWithThisProcess(this.#processes as ServerProcesses);
    // `error` without `spawn` means that no process was started.
    const spawned = once(child, "spawn");
    this.#ended = this.#watch(child, spawned).finally(release);
    await spawned;
    this.#ran = true;
  }

  async #spawn(): Promise<ChildProcess> {
    const { command, args, env, cwd } = this.#settings;
    // On Windows `npx` is a script that only cross-spawn starts without a shell.
    const start = ownGroup ? spawn : (await import("cross-spawn")).default;
    const mark = randomUUID();
    const child = start(command, [...args], {
      cwd,
      env: { ...env, [markName]: mark },
      stdio: "pipe",
      detached: ownGroup,
      windowsHide: true,
    });
    this.#processes = new ServerProcesses(child, mark);
    return child;
  }

  async #watch(child: ChildProcess, spawned: Promise<unknown>): Promise<void> {
    const { maxResultBytes } = this.#options;
    const endFor = (bytes: number): void => {
      this.#fault ??= `it sent ${bytes} bytes at once, over the limit of ${maxResultBytes}`;
      void this.close();
    };
    const lines = new MessageLines(
      maxResultBytes,
      (line) => this.#receive(line),
      (line) => {
        const id = oversizedId(line);
        if (id === undefined) endFor(line.bytes);
        else this.onmessage?.(oversizedReply(id, line.bytes, maxResultBytes));
      },
      endFor,
    );
    child.stdout?.on("data", (chunk: Buffer) => lines.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      const ended = this.#stderr.push(chunk);
      pauseFor(child.stderr, this.#onStderr.spend(chunk.length + ended * messageCost));
    });
    child.stdin?.on("error", (error) => this.onerror?.(error));
    child.on("error", (error) => this.onerror?.(error));
    const exited = new Promise<string>((resolve) => {
      child.once("exit", (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
    });
    const closed = new Promise<void>((resolve) => {
      child.once("close", () => resolve());
    });
    try {
      await spawned;
    } catch {
      return;
    }
    const exit = await exited;
    const drained = new AbortController();
    await Promise.race([closed, delay(drainMs, undefined, { signal: drained.signal })]);
    drained.abort();
    for (const stream of child.stdio) stream?.destroy();
    this.#stderr.end();
    this.#ran = false;
    if (!this.#closing) this.#exit = exit;
    this.onclose?.();
  }

  #receive(line: string): void {
    const parse = this.#parse;
    if (parse === undefined) {
      this.#early.push(line);
      this.#earlyLength += line.length;
      if (this.#earlyLength > this.#options.maxResultBytes) this.#child?.stdout?.pause();
      return;
    }
    try {
      const message = parse(JSON.parse(line));
      if ("method" in message) this.#spend(line);
      this.onmessage?.(message);
    } catch (cause) {
      this.#spend(line);
      this.onerror?.(new Error(`A line on stdout is not a protocol message: ${line.slice(0, 200)}`, { cause }));
    }
  }

  #spend(line: string): void {
    pauseFor(this.#child?.stdout, this.#unasked.spend(line.length + messageCost));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || !this.#ran || this.#closing) throw new Error("The server is not running");
    try {
      await new Promise<void>((resolve, reject) => {
        stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      // A broken pipe mostly means a dead process: its exit, which says more, is about to be reported.
      const waiting = new AbortController();
      await Promise.race([this.#ended, delay(leaveMs, undefined, { signal: waiting.signal })]);
      waiting.abort();
      throw error;
    }
  }

  /** Ends the process and its children; settles when they are gone. Safe to call again. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    const processes = this.#processes;
    if (!child || !processes) return;
    this.hold();
    // A process that left the group is found only by its parent, while that runs, or by its environment.
    processes.look();
    child.stdin?.end();
    await this.#within(leaveMs, () => !this.#ran);
    if (!processes.signal("SIGTERM")) return this.#ended;
    // Only what the server itself started may be left now; in a container their zombies may never be collected.
    const graceMs = this.#ran ? this.#options.closeGraceMs : Math.min(leaveMs, this.#options.closeGraceMs);
    await this.#within(graceMs, () => !this.#ran && !processes.alive);
    processes.signal("SIGKILL");
    await this.#ended;
  }

  async #within(ms: number, done: () => boolean): Promise<void> {
    const deadline = performance.now() + ms;
    while (!done() && performance.now() < deadline) await delay(5);
  }
}

/** Reads nothing more of a stream for a while: a server that floods it has to wait. */
function pauseFor(stream: Readable | null | undefined, ms: number): void {
  if (ms <= 0 || !stream || stream.isPaused()) return;
  stream.pause();
  setTimeout(() => stream.resume(), ms).unref();
}
