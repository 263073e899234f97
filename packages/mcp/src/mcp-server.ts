import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { hashValue, isRecord, type PlanIssue, redact, timerMs, traceHeaders, validateValue } from "@planloom/plan";
import { abortable } from "@planloom/plan/internals";
import { callError } from "./call-error.ts";
import type { ServerSettings } from "./config/read-config.ts";
import { connectError } from "./connect-error.ts";
import { McpError, McpErrorCode, withoutSecrets } from "./errors.ts";
import { printable } from "./log.ts";
import { Semaphore } from "./semaphore.ts";
import { openSession, rejectDuplicates, type Session, type SessionOptions } from "./session.ts";
import { contentOutput, contentText } from "./tools/content-output.ts";
import { type ServerTool, serverTool } from "./tools/server-tool.ts";

export interface ServerOptions extends SessionOptions {
  readonly callTimeoutMs: number | undefined;
  readonly maxConcurrency: number;
}

/**
 * The name under which a call's idempotency key is in `_meta` of `tools/call`. It is the same on every attempt and resume of one
 * task, so that a server recognises a call that it has carried out before.
 */
const idempotencyKeyName = "planloom/idempotencyKey";

interface CallOptions {
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  readonly onProgress: (progress: unknown) => void;
}

/**
 * One server and its tools. The list is requested again when the server says that it has changed, and with each new connection;
 * it is the same object until a tool is another. A call to a tool that has gone answers with REFUSED.
 *
 * When the connection breaks, the calls in flight fail; the next call opens a new one (once, shared by all that wait)
 * and fails in its turn if that does not succeed; until one succeeds the server has no tools.
 */
export class McpServer {
  #tools: readonly ServerTool[] = [];
  #listing: Promise<void> | undefined;
  /** The list has changed since it was last asked for. */
  #stale = false;
  readonly #settings: ServerSettings;
  readonly #options: ServerOptions;
  readonly #endpoint: string;
  readonly #places: Semaphore;
  /** Tools whose unreadable output schema has been reported. */
  readonly #unreadable = new Set<string>();
  readonly #closed = new AbortController();
  #session: Session;
  #reopening: Promise<Session> | undefined;
  readonly #retired = new Set<Promise<void>>();

  private constructor(settings: ServerSettings, options: ServerOptions, session: Session) {
    this.#settings = settings;
    this.#options = options;
    this.#endpoint = endpointOf(settings);
    this.#session = session;
    this.#places = new Semaphore(options.maxConcurrency);
    this.#follow(session);
  }

  static async connect(settings: ServerSettings, options: ServerOptions, signal: AbortSignal): Promise<McpServer> {
    const session = await openSession(settings, options, signal);
    try {
      return new McpServer(settings, options, session);
    } catch (cause) {
      // What it lists cannot be read; its process must not outlive that.
      await session.close();
      throw await connectError(cause, settings, { timedOut: false, timeoutMs: options.timeoutMs });
    }
  }

  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  /** Takes over what the session's server offers, now and whenever it says that this has changed. */
  #follow(session: Session): void {
    this.#learn(session.tools, session);
    session.client.setNotificationHandler("notifications/tools/list_changed", () => {
      this.#stale = true;
      this.#listing ??= this.#relist();
    });
  }

  /** Changes that come while the list is on its way are asked for again, together. */
  async #relist(): Promise<void> {
    while (this.#stale && !this.#closed.signal.aborted) {
      this.#stale = false;
      await this.#list(this.#session);
    }
    this.#listing = undefined;
  }

  async #list(session: Session): Promise<void> {
    const timeout = timerMs(this.#options.timeoutMs);
    try {
      const { tools } = await session.client.listTools(undefined, { signal: this.#closed.signal, timeout });
      rejectDuplicates(this.#settings.name, tools);
      if (session === this.#session) this.#learn(tools, session);
    } catch (error) {
      // A list that cannot be read changes nothing; a connection that broke is noticed by the next call.
      if (this.#closed.signal.aborted) return;
      const text = error instanceof Error ? error.message : String(error);
      const line = `its changed list of tools cannot be read: ${printable(text, 500)}`;
      this.#options.log({ server: this.#settings.name, source: "client", level: "warning", text: line });
    }
  }

  #learn(tools: readonly Tool[], { client }: Session): void {
    const version = client.getServerVersion()?.version;
    const { name: server, trustHints } = this.#settings;
    const about = { server, trustHints, endpoint: this.#endpoint, ...(version !== undefined && { version }) };
    const now = tools.map((tool) => serverTool(about, tool));
    const known = new Map(this.#tools.map((each) => [each.tool.name, each]));
    const kept = now.map((each) => {
      const before = known.get(each.tool.name);
      return before !== undefined && JSON.stringify(before) === JSON.stringify(each) ? before : each;
    });
    const same = kept.length === this.#tools.length && kept.every((each, at) => each === this.#tools[at]);
    if (!same) this.#tools = kept;
  }

  /**
   * Calls a tool and returns its output as a plan sees it.
   * @throws McpError; the signal's reason once it is aborted
   */
  async call(target: ServerTool, input: Readonly<Record<string, unknown>>, options: CallOptions): Promise<unknown> {
    const signal = AbortSignal.any([options.signal, this.#closed.signal]);
    const release = await this.#places.acquire(signal);
    try {
      const send = async (): Promise<CallToolResult> => {
        const session = await this.#live(signal);
        return this.#send(session, target, input, {
          signal,
          idempotencyKey: options.idempotencyKey,
          onProgress: (progress) => options.onProgress(progress),
        });
      };
      const result = await send().catch((error: unknown) => {
        // A server that forgot the session did not take the call up, so it can be made again without doing it twice.
        if (error instanceof McpError && error.details.status === 404) return send();
        throw error;
      });
      return await this.#output(target, result);
    } finally {
      release();
    }
  }

  async #live(signal: AbortSignal): Promise<Session> {
    if (this.#session.broken() === undefined) return this.#session;
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    return abortable(this.#reopening, signal);
  }

  async #reopen(): Promise<Session> {
    const old = this.#session;
    // Over HTTP other calls may still be answered; they keep what they have until they are done.
    const retiring = Promise.allSettled(old.calls).then(() => old.close());
    this.#retired.add(retiring);
    void retiring.finally(() => this.#retired.delete(retiring));
    try {
      this.#session = await openSession(this.#settings, this.#options, this.#closed.signal);
    } catch (error) {
      this.#tools = [];
      throw error;
    }
    this.#follow(this.#session);
    return this.#session;
  }

  async #send(
    session: Session,
    target: ServerTool,
    input: Readonly<Record<string, unknown>>,
    { signal, idempotencyKey, onProgress }: CallOptions,
  ): Promise<CallToolResult> {
    const timeoutMs = this.#options.callTimeoutMs;
    const { outputSchema: _checkedHere, ...definition } = target.tool;
    const work = session.client.callTool(
      {
        name: target.tool.name,
        arguments: { ...input },
        _meta: { ...traceHeaders(), [idempotencyKeyName]: idempotencyKey },
      },
      {
        signal,
        // The SDK wants a limit.
        timeout: timerMs(timeoutMs ?? Number.POSITIVE_INFINITY),
        onprogress: (progress) => onProgress(progress),
        toolDefinition: definition,
      },
    );
    session.calls.add(work);
    const release = session.hold();
    try {
      return await work;
    } catch (cause) {
      signal.throwIfAborted();
      const { maxResultBytes } = this.#options;
      const settings = this.#settings;
      const error = await callError(cause, { settings, session, tool: target.tool.name, timeoutMs, maxResultBytes });
      throw withoutSecrets(error, settings.secrets);
    } finally {
      release();
      session.calls.delete(work);
    }
  }

  async #output(target: ServerTool, result: CallToolResult): Promise<unknown> {
    const { tool, resource } = target;
    const details = { server: this.#settings.name, tool: tool.name };
    if (result.isError === true) {
      const said = redact(contentText(result.content), this.#settings.secrets);
      const text = printable(said) || "it gives no reason";
      throw new McpError(McpErrorCode.TOOL_FAILED, `${resource.id} failed: ${text}`, { details: { ...details, text } });
    }
    const invalid = (reason: string): McpError =>
      new McpError(McpErrorCode.OUTPUT_INVALID, `The output of ${resource.id} breaks its own schema: ${reason}`, {
        details: { ...details, reason },
      });
    const value: unknown = result.structuredContent;
    if (value === undefined) {
      if (tool.outputSchema) throw invalid("no structured content came");
      return contentOutput(result.content);
    }
    const wrong = this.#wrongIn(tool, value);
    if (wrong !== undefined) throw invalid(printable(redact(wrong, this.#settings.secrets), 500));
    if (!target.wrapped) return value;
    if (isRecord(value) && Object.hasOwn(value, "result")) return value.result;
    throw invalid("expected an object with `result`");
  }

  /** How a structured output breaks the schema that the tool declares. */
  #wrongIn(tool: Tool, value: unknown): string | undefined {
    if (!tool.outputSchema) return undefined;
    const issues = validateValue(value, tool.outputSchema, { what: "the output" });
    if (issues[0]?.code !== "resource_schema" && issues[0]?.code !== "schema_budget") {
      return issues.length === 0 ? undefined : issues.map(faultOf).join("; ");
    }
    // An unreadable schema must not make a working tool unusable.
    if (!this.#unreadable.has(tool.name)) {
      this.#unreadable.add(tool.name);
      const text = printable(
        `The output schema of ${tool.name} cannot be used, so its outputs are not checked: ${issues[0].message}`,
      );
      this.#options.log({ server: this.#settings.name, source: "client", level: "warning", text });
    }
    return undefined;
  }

  /** Fails the calls in flight with CLOSED and ends the server; settles when it is gone. */
  async close(): Promise<void> {
    this.#closed.abort(
      new McpError(McpErrorCode.CLOSED, `The connection to the MCP server ${this.#settings.name} was closed.`, {
        details: { server: this.#settings.name },
      }),
    );
    await this.#reopening?.catch(() => {});
    await this.#listing;
    await Promise.all([this.#session.close(), ...this.#retired]);
  }
}

/** A digest, since arguments and addresses may hold secrets. */
function endpointOf(settings: ServerSettings): string {
  const { kind } = settings;
  const place = kind === "http" ? [settings.url] : [settings.command, settings.args, settings.cwd];
  return hashValue([kind, ...place]).slice(0, 16);
}

function faultOf({ code, argument_path: at = "the output", expected, actual, message }: PlanIssue): string {
  if (code === "missing_argument") return `${at} is missing`;
  if (code === "unknown_argument") return `${at} is not one of its properties`;
  return expected === undefined ? message : `expected ${expected} at ${at}, got ${actual ?? "something else"}`;
}
