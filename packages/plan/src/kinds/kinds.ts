import { agent } from "./agent.ts";
import { dsl } from "./dsl.ts";
import type { KindRecord } from "./kind-record.ts";
import { llm } from "./llm.ts";
import { tool } from "./tool.ts";

/** Every kind of execution by its name. A new kind is an entry here; the records of the packages above do not compile until they have it. */
export const kinds = { agent, tool, llm, dsl } as const satisfies Readonly<Record<string, KindRecord>>;

/** A decided execution type; also the kind of a resource and of an executor. */
export type ExecutionKind = keyof typeof kinds;

export const executionKinds = Object.keys(kinds) as readonly ExecutionKind[];

/** What is known of a kind. */
export function kindRecord(kind: ExecutionKind): KindRecord {
  return kinds[kind];
}
