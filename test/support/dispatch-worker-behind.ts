// The same workers as `dispatch-worker.ts`, on a machine whose clock is five minutes behind.
Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin - 300_000 });

export { executors } from "./dispatch-worker.ts";
