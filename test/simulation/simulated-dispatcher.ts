import type { Executor } from "@planloom/plan";
import type { Dispatcher, DispatchReply } from "@planloom/runtime";
import { ParentLink } from "../../packages/runtime/src/dispatch/parent-link.ts";
import { WorkerLink } from "../../packages/runtime/src/dispatch/worker-link.ts";
import type { ToParent, ToWorker } from "../../packages/runtime/src/dispatch/worker-messages.ts";
import { runInWorker } from "../../packages/runtime/src/plan-execution/worker-run.ts";
import type { SimulatedProcess, World } from "./world.ts";

export interface DispatcherWorld {
  readonly world: World;
  /** The process that runs the run; its workers end with it. */
  readonly parent: SimulatedProcess;
  /** How long a message is on its way, in milliseconds; seeded. Messages of one direction stay in order. */
  readonly delayMs: () => number;
  readonly executorsOf: (worker: SimulatedProcess) => readonly Executor[];
  /** A worker that can be killed from now on. */
  readonly onStart: (worker: SimulatedProcess) => void;
}

/**
 * Sends each subgraph to a process of its own over a line that takes its time: the talk is the runtime's own, both ends of
 * it, and only forking and the pipe between them are simulated. A worker that dies takes its subgraph with it.
 */
export function simulatedDispatcher({ world, parent, delayMs, executorsOf, onStart }: DispatcherWorld): Dispatcher {
  let workers = 0;
  return {
    name: "simulated",
    governed: true,
    dispatch(request, context) {
      const worker = world.process(`${parent.name}/worker-${workers++}`);
      parent.onKill.push(() => world.kill(worker));
      const toWorker = line<ToWorker>(world, worker, delayMs);
      const toParent = line<ToParent>(world, parent, delayMs);
      onStart(worker);
      return new Promise<DispatchReply>((resolve, reject) => {
        const link = new ParentLink(context, (message) => toWorker.send(message));
        const end = (settle: () => void) => {
          link.close();
          world.kill(worker);
          settle();
        };
        worker.onKill.push(() => {
          // The system tells of the end of a child.
          world.schedule(parent, 1, () => end(() => reject(new Error("The worker process was killed."))));
        });
        toParent.receive = (message) => {
          if (message.type === "done") end(() => resolve(message.reply));
          else if (message.type === "failed") end(() => reject(new Error(message.message)));
          else link.hear(message);
        };
        const stop = new AbortController();
        const workerLink = new WorkerLink((message) => toParent.send(message));
        toWorker.receive = (message) => {
          if (message.type === "abort") stop.abort();
          else if (message.type !== "run") workerLink.hear(message);
          else {
            const onEvent = () => {};
            const options = { executors: executorsOf(worker), bind: undefined, link: workerLink, signal: stop.signal };
            runInWorker(message.request, { ...options, onEvent }).then(
              (reply) => toParent.send({ type: "done", reply }),
              (error: unknown) => toParent.send({ type: "failed", message: String(error) }),
            );
          }
        };
        context.signal.addEventListener(
          "abort",
          () => {
            toWorker.send({ type: "abort" });
            world.schedule(parent, (request.settings.abort_grace_ms ?? 0) / 2, () => world.kill(worker));
          },
          { once: true },
        );
        toWorker.send({ type: "run", request });
      });
    },
  };
}

/** One direction of a pipe to a process: what is sent arrives as JSON, later, in order, in the receiver's context. */
function line<Message>(world: World, receiver: SimulatedProcess, delayMs: () => number) {
  let lastMs = 0;
  const pipe = {
    receive: (_: Message): void => {},
    send(message: Message): void {
      const text = JSON.stringify(message);
      lastMs = Math.max(lastMs, world.nowMs + delayMs());
      world.schedule(receiver, lastMs - world.nowMs, () => pipe.receive(JSON.parse(text) as Message));
    },
  };
  return pipe;
}
