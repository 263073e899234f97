import type { Journal, LeaseOwner, TaskRecord } from "@planloom/runtime";
import type { HistoryEvent } from "./history.ts";
import type { SimulatedProcess, World } from "./world.ts";

type NewEvent = HistoryEvent extends infer Event
  ? Event extends HistoryEvent
    ? Omit<Event, "atMs" | "process">
    : never
  : never;

export interface JournalView {
  readonly journal: Journal;
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly tell: (event: NewEvent) => void;
  /** How long the way to the journal and the way back take, in milliseconds; seeded. */
  readonly delayMs: () => number;
}

/**
 * One process's view of a journal: each call takes its time there and back, and is added to the history when it is carried
 * out. A process that is killed on the way back has written and does not know it. Every process is on a host of its own,
 * so that nothing but the lease tells one of the other.
 */
export function simulatedJournal({ journal, world, process, tell, delayMs }: JournalView): Journal {
  const pause = async () => {
    const ms = delayMs();
    if (ms > 0) await world.sleep(ms);
  };
  return new Proxy(journal, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const call = value.bind(target) as (...given: unknown[]) => unknown;
      // Not a write: it tells of writes that fail.
      if (key === "watchWrites") return call;
      return async (...given: unknown[]) => {
        await pause();
        const owned = given.map((one) => (isOwner(one) ? atHome(one, process) : one));
        const owner = owned.find(isOwner);
        const done = await carryOut(String(key), call, owned, owner, tell);
        await pause();
        if (key === "record" && owner !== undefined)
          tell({ type: "acknowledged", token: owner.token, completed: completedOf(recordsOf(owned)) });
        return done;
      };
    },
  });
}

async function carryOut(
  operation: string,
  call: (...given: unknown[]) => unknown,
  given: readonly unknown[],
  owner: LeaseOwner | undefined,
  tell: JournalView["tell"],
): Promise<unknown> {
  const records = operation === "record" ? recordsOf(given) : [];
  try {
    const done = await call(...given);
    if (owner !== undefined) tell({ type: "write", operation, token: owner.token, outcome: "ok", records });
    if (owner !== undefined && operation === "createRun") tell({ type: "session", token: owner.token, completed: [] });
    if (owner !== undefined && operation === "openRun") {
      const { tasks } = done as { readonly tasks: readonly TaskRecord[] };
      tell({ type: "session", token: owner.token, completed: completedOf(tasks), failed: failedOf(tasks) });
    }
    if (operation === "addAnswer") {
      const { task_id, answer } = given[1] as { readonly task_id: string; readonly answer: "approve" | "deny" };
      tell({ type: "answer", taskId: task_id, answer });
    }
    if (operation === "addAnswers" && done === true) {
      for (const { task_id, answer } of given[1] as readonly { task_id: string; answer: "approve" | "deny" }[])
        tell({ type: "answer", taskId: task_id, answer });
    }
    return done;
  } catch (error) {
    const outcome = String((error as { readonly code?: unknown }).code ?? error);
    if (owner !== undefined) tell({ type: "write", operation, token: owner.token, outcome, records });
    throw error;
  }
}

function recordsOf(given: readonly unknown[]): readonly TaskRecord[] {
  return (given.find(Array.isArray) ?? []) as readonly TaskRecord[];
}

function completedOf(records: readonly TaskRecord[]): string[] {
  return records.filter(({ status }) => status === "completed").map(({ task_id }) => task_id);
}

function failedOf(records: readonly TaskRecord[]): string[] {
  const isLeft = ({ status, error }: TaskRecord) => status === "failed" && error?.details?.tried_again !== true;
  return records.filter(isLeft).map(({ task_id }) => task_id);
}

/** Every other machine says nothing of its boot. */
function atHome(owner: LeaseOwner, { name, number }: SimulatedProcess): LeaseOwner {
  const identity = owner.process !== undefined && number % 2 === 0 ? { process: owner.process } : {};
  return { token: owner.token, pid: owner.pid, host: name, ...identity };
}

function isOwner(value: unknown): value is LeaseOwner {
  return typeof value === "object" && value !== null && "token" in value && "pid" in value;
}
