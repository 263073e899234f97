import { Worker } from "node:worker_threads";

const source = `
const { workerData } = require("node:worker_threads");
const cell = new Float64Array(workerData);
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
let turn = 0, since = 0;
setInterval(() => {
  const [now, allowedMs] = cell;
  if (now !== turn) { turn = now; since = used(); }
  else if (allowedMs > 0 && used() - since > allowedMs) process.kill(process.pid, "SIGKILL");
}, 100);
`;

/** Kills this process when something computes for longer than it is allowed to, however busy the thread is. */
export class Watchdog {
  readonly #cell = new Float64Array(new SharedArrayBuffer(16));

  constructor() {
    new Worker(source, { eval: true, workerData: this.#cell.buffer }).unref();
  }

  /** From here on, in milliseconds of processor time. */
  allow(ms: number): void {
    this.#cell[1] = ms;
    this.#cell[0]!++;
  }

  rest(): void {
    this.#cell[1] = 0;
  }
}
