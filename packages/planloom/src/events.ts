import type { PlannerEvent } from "@planloom/planner";
import type { LoopEvent, RunEvent } from "@planloom/runtime";
import { EventEmitter } from "eventemitter3";
import type { EarlyEvent } from "./early-tasks.ts";

/** Everything that happens, from the goal to the last output. Plain JSON. */
export type PlanloomEvent = PlannerEvent | RunEvent | EarlyEvent | LoopEvent;
export type PlanloomEventType = PlanloomEvent["type"];
export type PlanloomEventOf<Type extends PlanloomEventType> = Extract<PlanloomEvent, { type: Type }>;
export type PlanloomListener<Type extends PlanloomEventType> = (event: PlanloomEventOf<Type>) => unknown;

/** What a listener did wrong. @default `process.emitWarning` */
export type OnListenerError = (error: unknown, event: PlanloomEvent) => void;

type AnyListener = (event: PlanloomEvent) => unknown;

/**
 * Listeners by event type. eventemitter3 lets a listener's exception through to the emitter, so each listener is wrapped: one
 * that throws, or whose promise rejects, reaches neither the run nor the other listeners.
 */
export class EventHub {
  readonly #emitter = new EventEmitter<Record<string, AnyListener>>();
  readonly #guarded = new Map<string, Map<unknown, AnyListener>>();
  readonly #onError: OnListenerError;

  constructor(onError: OnListenerError = warn) {
    this.#onError = onError;
  }

  /** Adding a listener that is there already changes nothing. */
  on<Type extends PlanloomEventType>(type: Type, listener: PlanloomListener<Type>): void {
    const ofType = this.#guarded.get(type) ?? new Map<unknown, AnyListener>();
    if (ofType.has(listener)) return;
    const guarded = this.#guard(listener as AnyListener);
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
    this.#emitter.emit(event.type, event);
  }

  clear(): void {
    this.#guarded.clear();
    this.#emitter.removeAllListeners();
  }

  #guard(listener: AnyListener): AnyListener {
    return (event) => {
      try {
        const returned = listener(event);
        if (returned instanceof Promise) returned.catch((error: unknown) => this.#report(error, event));
      } catch (error) {
        this.#report(error, event);
      }
    };
  }

  #report(error: unknown, event: PlanloomEvent): void {
    try {
      this.#onError(error, event);
    } catch {
      // There is nobody left to tell.
    }
  }
}

function warn(error: unknown, event: PlanloomEvent): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A listener of "${event.type}" failed: ${text}`, { type: "PlanloomWarning" });
}
