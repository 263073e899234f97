import type { BehaviorController, Model } from "@planloom/controller";
import type { Bind, Executor } from "@planloom/plan";
import type { BudgetLeft, Dispatcher, Replan } from "@planloom/runtime";
import type { PlanloomEvent } from "../events.ts";

/** One call of a `Planloom`, or one request to a server of it, as telemetry sees it. */
export interface TelemetryCall {
  /** The method that was called (`run`, `resume`, `callTool`, …), `plan` for Stage 1 of any of them, or `request`. */
  readonly name: string;
  /** Of `request`: method and route, such as `POST /runs`. */
  readonly title?: string;
}

/**
 * Watches an instance: spans, metrics. `openTelemetry()` of `@planloom/otel` makes one. It wraps the parts that do the work, so that what they do
 * happens within its spans, and hears of all events. What it throws must not happen: it is called in the midst of the work.
 */
export interface Telemetry {
  /** Does the work of one call. Calls within calls are nested. */
  call<Value>(call: TelemetryCall, work: () => Promise<Value>): Promise<Value>;
  /** Called with every event of the instance. */
  event(event: PlanloomEvent): void;
  executor(executor: Executor): Executor;
  model(model: Model): Model;
  controller(controller: BehaviorController): BehaviorController;
  bind(bind: Bind): Bind;
  replan(replan: Replan): Replan;
  dispatcher(dispatcher: Dispatcher): Dispatcher;
  /** Called once with the function that reads what is left of the instance's budgets. @returns called when the instance is closed */
  budgets?(read: () => readonly BudgetLeft[]): () => void;
  /** Resolves when what was measured so far is exported. */
  flush?(): Promise<void>;
}
