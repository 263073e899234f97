import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** The extension as its specification of 2026-07-28 has it: a call may be answered with a task, whose result is asked for later. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** What the extension asks of clients, and what the server declares. */
export const tasksCapability = { extensions: { [tasksExtension]: {} } };

export const TaskParams = z.looseObject({ taskId: z.string().min(1).max(1_000) });

interface TaskFields {
  /** The id of the run. */
  readonly taskId: string;
  /** For people and models: how far it is, or what it waits for. */
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Without limit: the task is there as long as its run is in the journal. */
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
}

/** A task as `tasks/get` gives it. */
export type McpTask = TaskFields &
  (
    | { readonly status: "working" | "cancelled" }
    | { readonly status: "input_required"; readonly inputRequests: Readonly<Record<string, unknown>> }
    | { readonly status: "completed"; readonly result: Readonly<Record<string, unknown>> }
  );

/** Whether the client said with this request that it takes a task for an answer. What it said before does not count. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  const declared = (capabilities as { extensions?: Readonly<Record<string, unknown>> } | undefined)?.extensions;
  return declared !== undefined && Object.hasOwn(declared, tasksExtension);
}

/** @throws MissingRequiredClientCapabilityError for a client that did not declare the extension with this request */
export function expectTasks(context: ServerContext): void {
  if (takesTasks(context)) return;
  const message = `Expected the request to declare the extension \`${tasksExtension}\` in its client capabilities.`;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: tasksCapability }, message);
}
