import { FaultLog, notify } from "@planloom/plan";
import { describeValue } from "@planloom/plan/internals";
import type { PlannerEvent } from "@planloom/planner";
import type { LoopEvent, RunEvent } from "@planloom/runtime";
import { EventEmitter } from "eventemitter3";
import type { EarlyEvent } from "./early-event.ts";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import type { PlanGroupedEvent } from "./grouping/run-grouping.ts";

/** Everything that happens, from the goal to the last output. Plain JSON. */
export type PlanloomEvent = PlannerEvent | PlanGroupedEvent | RunEvent | EarlyEvent | LoopEvent;
export type PlanloomEventType = PlanloomEvent["type"];
export type PlanloomEventOf<Type extends PlanloomEventType> = Extract<PlanloomEvent, { type: Type }>;
export type PlanloomListener<Type extends PlanloomEventType> = (event: PlanloomEventOf<Type>) => unknown;

/**
 * Called with what a listener threw or rejected with: a listener of `on`, or an `onEvent` or `onRunEvent` of one call. What this function
 * throws itself becomes a warning.
 * @default a warning (`process.emitWarning`) for the 1st, 10th, 100th fault and so on
 */
export type OnListenerError = (error: unknown, event: PlanloomEvent) => unknown;

type AnyListener = (event: PlanloomEvent) => unknown;

/**
 * Listeners by event type, and those of single calls. eventemitter3 lets a listener's exception through to the emitter, so each
 * listener is wrapped: one that throws, or whose promise rejects, reaches neither the run nor the other listeners.
 */
export class EventHub {
  readonly #emitter = new EventEmitter<Record<string, AnyListener>>();
  readonly #guarded = new Map<string, Map<unknown, AnyListener>>();
  readonly #onError: OnListenerError | undefined;
  readonly #faults = new FaultLog();
  readonly #first: readonly { readonly name: string; readonly listener: AnyListener }[];

  /** @param first hear every event, before the listeners, by name */
  constructor(onError?: OnListenerError, first: Readonly<Record<string, AnyListener | undefined>> = {}) {
    this.#onError = onError;
    this.#first = Object.entries(first).flatMap(([name, listener]) =>
      listener === undefined ? [] : [{ name, listener }],
    );
  }

  /** Adding a listener that is there already changes nothing. @throws PlanloomError OPTION */
  on<Type extends PlanloomEventType>(type: Type, listener: PlanloomListener<Type>): void {
    if (typeof type !== "string") throw wrong("type", "the name of an event", type);
    if (typeof listener !== "function") throw wrong("listener", "a function", listener);
    const ofType = this.#guarded.get(type) ?? new Map<unknown, AnyListener>();
    if (ofType.has(listener)) return;
    const guarded = (event: PlanloomEvent) => this.notify(`listener of ${type}`, listener as AnyListener, event);
    ofType.set(listener, guarded);
    this.#guarded.set(type, ofType);
    this.#emitter.on(type, guarded);
  }

  off<Type extends PlanloomEventType>(type: Type, listener: PlanloomListener<Type>): void {
    const guarded = this.#guarded.get(type)?.get(listener);
    if (guarded === undefined) return;
    this.#guarded.get(type)?.delete(listener);
    this.#emitter.off(type, guarded);
  }

  emit(event: PlanloomEvent): void {
    for (const { name, listener } of this.#first) this.notify(name, listener, event);
    this.#emitter.emit(event.type, event);
  }

  clear(): void {
    this.#guarded.clear();
    this.#emitter.removeAllListeners();
  }

  /** Calls one listener. @param name of the listener, for the warning: `onEvent` */
  notify<Event extends PlanloomEvent>(name: string, listener: (event: Event) => unknown, event: Event): void {
    notify(listener, event, (error) => this.#report(name, error, event));
  }

  #report(name: string, error: unknown, event: PlanloomEvent): void {
    const onError = this.#onError;
    if (onError === undefined) this.#faults.report(name, error);
    else
      notify(
        () => onError(error, event),
        undefined,
        (fault) => this.#faults.report("onListenerError", fault),
      );
  }
}

function wrong(option: string, expected: string, value: unknown): PlanloomError {
  const message = `Expected \`${option}\` of \`on\` to be ${expected}, got ${describeValue(value)}.`;
  return new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option } });
}
