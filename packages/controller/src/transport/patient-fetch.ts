/** The part of a dispatcher of Node's `fetch` that is used here. */
interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

const globalDispatcher = Symbol.for("undici.globalDispatcher.1");
const endless = { headersTimeout: 0, bodyTimeout: 0 };

/**
 * Node's `fetch` fails on its own when no headers come for 300 seconds, or no piece of a body, however long the caller would wait. This
 * hands each request to the dispatcher that the process has (a proxy's, say) without these two limits.
 */
const patient: Dispatcher = {
  dispatch(options, handler) {
    // Looked up a request: it is there once `fetch` has begun, and may be replaced at any time.
    const dispatcher = (globalThis as { [globalDispatcher]?: Dispatcher })[globalDispatcher];
    if (dispatcher === undefined)
      throw new Error("The dispatcher of `fetch` is not there; pass a `fetch` of your own.");
    return dispatcher.dispatch({ ...options, ...endless }, handler);
  },
};

/** The `fetch` of this process without time limits of its own; its caller's signal is what ends it. */
export const patientFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, "undici" in process.versions ? ({ ...init, dispatcher: patient } as RequestInit) : init);
