import type { RunEvent } from "../events.ts";
import type { DispatchReply, DispatchRequest } from "./dispatcher.ts";

/** What a worker process is told. JSON. */
export type ToWorker = { readonly type: "run"; readonly request: DispatchRequest } | { readonly type: "abort" };

/** What it answers. */
export type ToParent =
  /** Its module is loaded. */
  | { readonly type: "ready" }
  /** Its module cannot be loaded. */
  | { readonly type: "broken"; readonly message: string }
  | { readonly type: "event"; readonly event: RunEvent }
  | { readonly type: "done"; readonly reply: DispatchReply }
  | { readonly type: "failed"; readonly message: string };
