import type { Executor } from "planloom";
import { type OptionChecks, resourcePin } from "planloom/plan";
import {
  costsOf,
  type DispatchContext,
  type DispatchCosts,
  type Dispatcher,
  type DispatchReply,
  type DispatchRequest,
  type PreparationOptions,
} from "planloom/runtime";
import { checkOptions } from "../check-options.ts";
import { type A2aConnection, agentsOf } from "../client/connect-agents.ts";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { remoteExecutors } from "./remote-executors.ts";
import { emptySubgraph, sendSubgraph } from "./send-subgraph.ts";
import { type Station, stationOf } from "./station.ts";

export interface A2aDispatcherOptions {
  /** Subgraphs at one agent at once. @default 8 */
  readonly perAgent?: number | undefined;
}

const checks = { perAgent: "count" } as const satisfies OptionChecks<A2aDispatcherOptions>;

export interface A2aDispatcher extends Dispatcher {
  /** What the agents execute, as executors of this Planloom, one a kind: with them plans for the agents are made and judged here. */
  readonly executors: readonly Executor[];
  /** Measures a dispatch to each agent that takes subgraphs as such. */
  prepare(subgraphs: number, options?: PreparationOptions): Promise<DispatchCosts>;
}

/** How often an empty subgraph is sent to measure what sending costs; the first is not counted. */
const probes = 5;

/**
 * Sends whole subgraphs to agents, each to one that executes all it needs. To an agent that is a Planloom it goes as a plan, and each of its tasks is reported as it
 * ends; another agent gets its tasks as data, and gives one result. What no agent executes runs in this process. Calls that agents make are not asked for here,
 * so that a run with budgets, guards, gates or limits refuses this dispatcher: these hold where the agents run.
 * @throws A2aError OPTION
 */
export function a2aDispatcher(connection: A2aConnection, options: A2aDispatcherOptions = {}): A2aDispatcher {
  checkOptions("`a2aDispatcher`", options, checks);
  const { perAgent = 8 } = options;
  const stations = agentsOf(connection).map(stationOf);
  const waiting: (() => void)[] = [];
  const free = () => {
    for (const wake of waiting.splice(0)) wake();
  };
  /** The station with the least under way among those that can; waits while all of these are full. */
  const take = async (needs: readonly string[], signal: AbortSignal): Promise<Station | undefined> => {
    const able = stations.filter(({ executes }) => needs.every((each) => executes.has(each)));
    if (able.length === 0) return undefined;
    for (;;) {
      signal.throwIfAborted();
      const best = able.reduce((left, right) => (right.underWay < left.underWay ? right : left));
      if (best.underWay < perAgent) {
        best.underWay++;
        return best;
      }
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  };
  const dispatch = async (request: DispatchRequest, context: DispatchContext): Promise<DispatchReply> => {
    const station = await take(needsOf(request), context.signal);
    if (station === undefined) return context.runHere();
    try {
      return await sendSubgraph(station, request, context);
    } finally {
      station.underWay--;
      free();
    }
  };
  return {
    name: "a2a",
    executors: remoteExecutors(stations, async (needs, request, context) => {
      const station = await take(needs, context.signal);
      if (station === undefined) throw noAgent(needs);
      try {
        return await sendSubgraph(station, request, context);
      } finally {
        station.underWay--;
        free();
      }
    }),
    async prepare(_subgraphs, { signal = new AbortController().signal } = {}) {
      const times: number[] = [];
      for (const station of stations.filter(({ takesSubgraphs }) => takesSubgraphs)) {
        for (let round = 0; round < probes; round++) {
          const before = performance.now();
          await sendSubgraph(station, emptySubgraph, quiet(signal));
          if (round > 0) times.push(performance.now() - before);
        }
      }
      const costs = times.length === 0 ? { overheadMs: 0, overheadP95Ms: 0, measured: 0 } : costsOf(times);
      return { ...costs, executors: Math.max(1, stations.length) };
    },
    dispatch,
  };
}

/** What the open tasks of a subgraph are executed by. A task that no resource is named for is bound where it runs. */
function needsOf({ plan }: DispatchRequest): string[] {
  const open = plan.planned_tasks.filter(({ status }) => status !== "completed");
  const pins = open.map((task) => resourcePin(task)).filter(({ kind, uid }) => kind !== undefined && uid !== undefined);
  return [...new Set(pins.map(({ kind, uid }) => `${kind}:${uid}`))];
}

function noAgent(needs: readonly string[]): A2aError {
  return new A2aError(A2aErrorCode.NO_AGENT, `No connected agent executes ${needs.join(" and ")}.`, {
    details: { needs },
  });
}

const settled = () => Promise.resolve();
const quiet = (signal: AbortSignal) => ({ signal, onEvent() {}, report: settled });
