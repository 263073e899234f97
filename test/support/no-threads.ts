// Preloaded by `orphaned-workers.test.ts`: a runtime that starts no threads.
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";

threads.Worker = class {
  constructor() {
    throw new Error("Threads cannot be started here.");
  }
} as unknown as typeof threads.Worker;
syncBuiltinESMExports();
