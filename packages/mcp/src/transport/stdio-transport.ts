import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { StdioSettings } from "../config/read-config.ts";
import { MessageLines } from "./message-lines.ts";
import { oversizedId, oversizedReply } from "./oversized-reply.ts";
import { endWithThisProcess, groupIsAlive, ownGroup, signalGroup } from "./process-group.ts";
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
  #ran = false;
  #exit: string | undefined;
  #fault: string | undefined;
  #ended: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #parse: ((value: unknown) => JSONRPCMessage) | undefined;
  #launched: Promise<void> | undefined;
  /** Lines that came before there was a parser. */
  readonly #early: string[] = [];

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
  }

  async #launch(): Promise<void> {
    const child = await this.#spawn();
    this.#child = child;
    const release = endWithThisProcess(child);
    // `error` without `spawn` means that no process came to be.
    const spawned = once(child, "spawn");
    this.#ended = this.#watch(child, spawned).finally(release);
    await spawned;
    this.#ran = true;
  }

  async #spawn(): Promise<ChildProcess> {
    const { command, args, env, cwd } = this.#settings;
    // On Windows `npx` is a script that only cross-spawn starts without a shell.
    const start = ownGroup ? spawn : (await import("cross-spawn")).default;
    return start(command, [...args], { cwd, env: { ...env }, stdio: "pipe", detached: ownGroup, windowsHide: true });
  }

  async #watch(child: ChildProcess, spawned: Promise<unknown>): Promise<void> {
    const { maxResultBytes } = this.#options;
    const lines = new MessageLines(
      maxResultBytes,
      (line) => this.#receive(line),
      (line) => {
        const id = oversizedId(line);
        if (id === undefined) {
          this.#fault = `it sent ${line.bytes} bytes at once, over the limit of ${maxResultBytes}`;
          void this.close();
        } else this.onmessage?.(oversizedReply(id, line.bytes, maxResultBytes));
      },
    );
    child.stdout?.on("data", (chunk: Buffer) => lines.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
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
      return;
    }
    try {
      this.onmessage?.(parse(JSON.parse(line)));
    } catch (cause) {
      this.onerror?.(new Error(`A line on stdout is no protocol message: ${line.slice(0, 200)}`, { cause }));
    }
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
    if (!child) return;
    child.stdin?.end();
    await this.#within(leaveMs, () => !this.#ran);
    if (!signalGroup(child, "SIGTERM")) return this.#ended;
    // Only what the server itself started may be left now; in a container nobody may ever clear away its remains.
    const graceMs = this.#ran ? this.#options.closeGraceMs : Math.min(leaveMs, this.#options.closeGraceMs);
    await this.#within(graceMs, () => !this.#ran && !groupIsAlive(child));
    signalGroup(child, "SIGKILL");
    await this.#ended;
  }

  async #within(ms: number, done: () => boolean): Promise<void> {
    const deadline = performance.now() + ms;
    while (!done() && performance.now() < deadline) await delay(5);
  }
}
