// What pages of the documentation speak of without making it. A snippet that declares the same name has its own.
import type { Planloom, PlanloomEvent } from "planloom";
import type { BehaviorController, Model, ReplanFailure } from "planloom/controller";
import type { Executor, JsonSchema, Resource, SubGraph, TaskData } from "planloom/plan";
import type { Dispatcher, Journal, LoopSession, SqliteJournal, ToolDefinition } from "planloom/runtime";
import type { ExecutorSubject } from "planloom/testing";

declare global {
  const planloom: Planloom;
  const goal: string;
  const plan: TaskData;
  const subgraph: SubGraph;
  const tools: ToolDefinition[];
  const resources: Resource[];
  const executors: Executor[];
  const executor: Executor;
  const controller: BehaviorController;
  const model: Model;
  const journal: SqliteJournal;
  const signal: AbortSignal;
  const failures: ReadonlyMap<string, ReplanFailure>;
  const customAppendText: string;
  function onEvent(event: PlanloomEvent): void;

  /** What a reader's own program has. */
  const input_schema: JsonSchema;
  const output_schema: JsonSchema;
  function door(input: unknown, options: { signal: AbortSignal; idempotencyKey: string }): Promise<{ open: boolean }>;
  function query(input: unknown): AsyncIterable<object>;
  const vault: { read(name: string, options: { signal: AbortSignal }): Promise<string> };
  const MyJournal: { open(database: string): Journal & { readonly name: string } };
  function newDatabase(): string;
  function main(dispatcher: () => Dispatcher): Promise<void>;
  function done(steps: LoopSession["ExecutedSteps"]): boolean;
  function rest(plan: LoopSession["Plan"], steps: LoopSession["ExecutedSteps"]): { steps: string[] };
  const yourTools: object[];
  const call: { readonly name: string; readonly arguments: string };
  const conversation: { readonly id: string };
  function test(name: string, run: () => Promise<void>): void;
  const create: ExecutorSubject["create"];
  const succeeds: ExecutorSubject["succeeds"];
  const fails: ExecutorSubject["fails"];
  const slow: NonNullable<ExecutorSubject["slow"]>;
}
