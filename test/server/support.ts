import { setTimeout as sleep } from "node:timers/promises";
import { type RunningServer, type ServeOptions, serve } from "@planloom/server";
import { defineTool, memoryJournal, Planloom, type PlanloomOptions } from "planloom";
import type { ToolDefinition } from "planloom/runtime";
import { z } from "zod";

export const weather = defineTool({
  id: "get_weather",
  description: "Get the weather of a city",
  input: z.object({ city: z.string() }),
  readOnly: true,
  execute: ({ city }) => ({ city, degrees: 21 }),
});

export const sendMail = defineTool({
  id: "send_mail",
  description: "Send a mail to a person",
  input: z.object({ to: z.string(), text: z.string() }),
  execute: ({ to }) => ({ sent: to }),
});

/** A tool that takes its time; `begun` counts its calls. */
export function slowTool(ms = 60_000): ToolDefinition & { readonly begun: string[] } {
  const begun: string[] = [];
  const tool = defineTool({
    id: "wait",
    description: "Wait for something",
    input: z.object({ name: z.string().optional() }),
    readOnly: true,
    async execute({ name }, { signal }) {
      begun.push(name ?? "");
      await sleep(ms, undefined, { signal });
      return { name };
    },
  });
  return Object.assign(tool, { begun });
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly planloom: Planloom;
  readonly running: RunningServer;
  /** One request; a body becomes JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into what came over the wire, which has no type; expectations check it
export type Loose = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Loose;
}

/** A server that listens on a free port, with a journal in memory that keeps events. */
export async function startServer(options: ServeOptions = {}, instance: PlanloomOptions = {}): Promise<TestServer> {
  const journal = memoryJournal({ events: true });
  const planloom = new Planloom({ tools: [weather, sendMail], journal, ...instance });
  const running = await serve(planloom, { port: 0, ...options });
  const { url } = running;
  return {
    url,
    planloom,
    running,
    call: (method, path, body, headers) => callAt(url + path, method, body, headers),
    [Symbol.asyncDispose]: () => running.close(),
  };
}

export async function callAt(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Events of a stream until it ends; `take` ends it earlier. */
export async function eventsAt(
  url: string,
  { take = Number.POSITIVE_INFINITY, headers = {} }: { take?: number; headers?: Record<string, string> } = {},
): Promise<{ id?: string; event?: string; data: Loose }[]> {
  const leave = new AbortController();
  const response = await fetch(url, { headers, signal: leave.signal });
  if (response.status !== 200) throw new Error(`${response.status}`);
  const events: { id?: string; event?: string; data: Loose }[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    const messages = text.split("\n\n");
    text = messages.pop()!;
    for (const message of messages) {
      const fields = Object.fromEntries(
        message.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      ) as { id?: string; event?: string; data?: string };
      if (fields.data !== undefined) events.push({ ...fields, data: JSON.parse(fields.data) });
    }
    if (events.length >= take) break;
  }
  leave.abort();
  return events.slice(0, take);
}

/** Waits until a run has this status. */
export async function untilStatus(server: TestServer, runId: string, status: string): Promise<Loose> {
  for (let tries = 0; tries < 500; tries++) {
    const { body } = await server.call("GET", `/runs/${runId}`);
    if (body.status === status) return body;
    await sleep(10);
  }
  throw new Error(`The run ${runId} did not become ${status}.`);
}
