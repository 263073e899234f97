import type { TaskRecord } from "@planloom/runtime";

/** As docs/runtime.md promises it: how long an owner may give no sign of life. */
const leaseTimeoutMs = 30_000;

/** What happened in a world, in order; the checks know nothing else. Times are milliseconds of the world. */
export type HistoryEvent = { readonly atMs: number; readonly process: string } & (
  | { readonly type: "kill" | "stop" | "clock" | "disk-full" }
  /** The outside world sees a task's effect begin or end. */
  | {
      readonly type: "effect-begin";
      readonly taskId: string;
      readonly key: string;
      readonly attempt: number;
      readonly input: unknown;
      /** The worker of the process that executes it, where one does. */
      readonly worker?: string;
    }
  | {
      readonly type: "effect-end";
      readonly taskId: string;
      readonly how: "completed" | "failed" | "stopped";
      readonly worker?: string;
    }
  /** A worker of the process is gone, with whatever it did. */
  | { readonly type: "worker-end"; readonly worker: string }
  /** A listener of the run heard that a task is completed. */
  | { readonly type: "reported"; readonly taskId: string }
  /** The process continues the run without another try of what failed. */
  | { readonly type: "continues" }
  /** A session began: what the journal says was completed, and what failed and nobody has asked to be tried again. */
  | {
      readonly type: "session";
      readonly token: string;
      readonly completed: readonly string[];
      readonly failed?: readonly string[];
    }
  /** A session's write was carried out, or refused with a code. */
  | {
      readonly type: "write";
      readonly operation: string;
      readonly token: string;
      readonly outcome: "ok" | string;
      readonly records: readonly Pick<TaskRecord, "task_id" | "status" | "output">[];
    }
  /** The session heard that its write was kept: what depends on it may go on. */
  | { readonly type: "acknowledged"; readonly token: string; readonly completed: readonly string[] }
  | { readonly type: "answer"; readonly taskId: string; readonly answer: "approve" | "deny" }
  | { readonly type: "cancel"; readonly mode: "now" | "drain" }
  /** A call of `run` or `resume` settled. */
  | { readonly type: "settled"; readonly outcome: string }
);

export interface HistoryFacts {
  /** By task id. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  readonly gated: ReadonlySet<string>;
  /** Tasks whose tool is neither read-only nor idempotent. */
  readonly unrepeatable: ReadonlySet<string>;
  readonly concurrency: number;
  /** Calls that the run's budget allows; `Infinity`: no budget. */
  readonly maxCalls: number;
  /** True where what is acknowledged survives the death of a process. */
  readonly survivesKill: boolean;
}

/**
 * What is wrong with a history, in words; empty when nothing is. In the style of Jepsen: the system is judged by what
 * the outside world and its clients saw, never by its own word alone. Linear in the history, but for tasks at once.
 */
export function checkHistory(history: readonly HistoryEvent[], facts: HistoryFacts): string[] {
  return checks.flatMap((check) => check(history, facts));
}

type Check = (history: readonly HistoryEvent[], facts: HistoryFacts) => string[];

/** After a session began, no write of an earlier one is carried out. */
const oneWriter: Check = (history, { survivesKill }) => {
  const problems: string[] = [];
  // A write that waits for its commit is refused when it is committed, which nobody here sees.
  if (!survivesKill) return problems;
  let current: string | undefined;
  for (const event of history) {
    if (event.type === "session") current = event.token;
    if (event.type !== "write" || event.outcome !== "ok") continue;
    // With these a session begins.
    if (event.operation === "createRun" || event.operation === "openRun") continue;
    if (event.token !== current && current !== undefined)
      problems.push(`${event.process} wrote (${event.operation}) at ${event.atMs} after another session had begun`);
  }
  return problems;
};

/** A lease that was renewed in time is not taken from a process that lives, whatever any clock says. */
const nothingStolen: Check = (history) => {
  const problems: string[] = [];
  let holder: { readonly token: string; readonly process: string; seenMs: number } | undefined;
  for (const event of history) {
    if (event.type === "session") {
      if (holder !== undefined && event.atMs - holder.seenMs < leaseTimeoutMs)
        problems.push(`${event.process} took the run from ${holder.process} at ${event.atMs}, which lived`);
      holder = { token: event.token, process: event.process, seenMs: event.atMs };
    } else if (holder !== undefined && event.process === holder.process) {
      const gaveBack = event.type === "write" && event.operation === "endRun" && event.outcome === "ok";
      if (event.type === "kill" || event.type === "settled" || gaveBack) holder = undefined;
      else if (event.type === "write" && event.operation === "renewLease" && event.outcome === "ok")
        holder.seenMs = event.atMs;
    }
  }
  return problems;
};

/** What was acknowledged is there when the next session begins, and what was once completed stays so with its output. */
const nothingLost: Check = (history, { survivesKill }) => {
  const problems: string[] = [];
  const kept = new Set<string>();
  const acknowledged = new Set<string>();
  const outputs = new Map<string, string>();
  for (const event of history) {
    if (event.type === "acknowledged") for (const id of event.completed) acknowledged.add(id);
    if (event.type === "session") {
      const now = new Set(event.completed);
      for (const id of kept) if (!now.has(id)) problems.push(`${id} was completed, and is not for ${event.process}`);
      if (survivesKill)
        for (const id of acknowledged)
          if (!now.has(id)) problems.push(`${id} was acknowledged as completed, and is lost for ${event.process}`);
      for (const id of now) kept.add(id);
    }
    if (event.type === "write" && event.outcome === "ok") {
      for (const { task_id, status, output } of event.records) {
        if (status !== "completed") continue;
        const text = JSON.stringify(output);
        const before = outputs.get(task_id);
        if (before !== undefined && before !== text) problems.push(`${task_id} has two outputs: ${before}, ${text}`);
        outputs.set(task_id, text);
      }
    }
  }
  return problems;
};

/** A task that a session knows to be completed has no effect any more; one that it acknowledged neither. */
const nothingAgain: Check = (history) => {
  const problems: string[] = [];
  const known = new Map<string, Set<string>>();
  const sessionOf = new Map<string, string>();
  for (const event of history) {
    if (event.type === "session") {
      known.set(event.token, new Set(event.completed));
      sessionOf.set(event.process, event.token);
    } else if (event.type === "acknowledged") for (const id of event.completed) known.get(event.token)?.add(id);
    else if (event.type === "effect-begin") {
      const token = sessionOf.get(event.process);
      if (token !== undefined && known.get(token)?.has(event.taskId))
        problems.push(`${event.taskId} was completed and was executed again by ${event.process} at ${event.atMs}`);
    }
  }
  return problems;
};

/** A task that failed has no effect any more in a session that only continues the run. */
const failuresStay: Check = (history, { survivesKill }) => {
  const problems: string[] = [];
  // What was noted of another try may be lost with what was written last.
  if (!survivesKill) return problems;
  const continuing = new Set<string>();
  const failed = new Map<string, ReadonlySet<string>>();
  for (const event of history) {
    if (event.type === "continues") continuing.add(event.process);
    else if (event.type === "session") failed.set(event.process, new Set(event.failed));
    else if (event.type === "effect-begin" && continuing.has(event.process)) {
      if (failed.get(event.process)?.has(event.taskId))
        problems.push(`${event.taskId} had failed and was executed again by ${event.process} at ${event.atMs}`);
    }
  }
  return problems;
};

/** No effect begins before all that its task depends on is completed and acknowledged to the session that begins it. */
const inOrder: Check = (history, { dependencies }) => {
  const problems: string[] = [];
  const known = new Map<string, Set<string>>();
  const sessionOf = new Map<string, string>();
  for (const event of history) {
    if (event.type === "session") {
      known.set(event.token, new Set(event.completed));
      sessionOf.set(event.process, event.token);
    } else if (event.type === "acknowledged") for (const id of event.completed) known.get(event.token)?.add(id);
    else if (event.type === "effect-begin") {
      const done = known.get(sessionOf.get(event.process) ?? "") ?? new Set();
      for (const id of dependencies.get(event.taskId) ?? [])
        if (!done.has(id)) problems.push(`${event.taskId} began at ${event.atMs} before ${id} was kept`);
    }
  }
  return problems;
};

/** No listener hears that a task is completed before that is kept. */
const toldWhenKept: Check = (history) => {
  const problems: string[] = [];
  const kept = new Map<string, Set<string>>();
  for (const event of history) {
    const known = kept.get(event.process) ?? new Set();
    kept.set(event.process, known);
    if (event.type === "session" || event.type === "acknowledged") for (const id of event.completed) known.add(id);
    if (event.type === "reported" && !known.has(event.taskId))
      problems.push(`${event.process} reported that ${event.taskId} is completed before it was kept`);
  }
  return problems;
};

/** In one process no more effects at once than the limit, and no two of one task. */
const withinLimits: Check = (history, { concurrency }) => {
  const problems: string[] = [];
  const running = new Map<string, { readonly taskId: string; readonly worker: string | undefined }[]>();
  for (const event of history) {
    const { process } = event;
    const here = running.get(process) ?? [];
    if (event.type === "effect-begin") {
      const { taskId, worker } = event;
      if (here.some((other) => other.taskId === taskId)) problems.push(`${taskId} ran twice at once in ${process}`);
      if (here.length >= concurrency) problems.push(`${here.length + 1} ran at once in ${process}`);
      running.set(process, [...here, { taskId, worker }]);
    } else if (event.type === "effect-end")
      running.set(
        process,
        here.filter(({ taskId }) => taskId !== event.taskId),
      );
    else if (event.type === "worker-end")
      running.set(
        process,
        here.filter(({ worker }) => worker !== event.worker),
      );
  }
  return problems;
};

/** The calls that the outside world saw are within the budget of calls, whatever was killed. */
const withinBudget: Check = (history, { maxCalls, survivesKill }) => {
  // What was counted last is lost with what was written last.
  if (!survivesKill) return [];
  const calls = history.filter(({ type }) => type === "effect-begin").length;
  return calls > maxCalls ? [`${calls} calls were made of a budget of ${maxCalls}`] : [];
};

/** A gated task has an effect only after a yes, and none after a no. */
const gatesHold: Check = (history, { gated }) => {
  const problems: string[] = [];
  const said = new Map<string, "approve" | "deny">();
  for (const event of history) {
    // A no is final.
    if (event.type === "answer" && said.get(event.taskId) !== "deny") said.set(event.taskId, event.answer);
    if (event.type === "effect-begin" && gated.has(event.taskId) && said.get(event.taskId) !== "approve")
      problems.push(`${event.taskId} began at ${event.atMs} after ${said.get(event.taskId) ?? "no answer"}`);
  }
  return problems;
};

/** Ends the ids of questions about calls of which it is unknown whether they were carried out. */
const aboutBegun = "#begun";

/** A call that nobody may repeat is repeated only where its end is known, or a person said so. */
const unknownIsAsked: Check = (history, { unrepeatable, survivesKill }) => {
  const problems: string[] = [];
  if (!survivesKill) return problems;
  /** By task id, the session that began a call of which no record is kept. */
  const unknown = new Map<string, string>();
  const sessionOf = new Map<string, string>();
  const forget = (asked: string) => asked.endsWith(aboutBegun) && unknown.delete(asked.slice(0, -aboutBegun.length));
  for (const event of history) {
    if (event.type === "session") sessionOf.set(event.process, event.token);
    // A yes to the task's gate says nothing of a call that was begun after it.
    else if (event.type === "answer" && event.answer === "approve") forget(event.taskId);
    else if (event.type === "write" && event.outcome === "ok") {
      for (const { task_id, status } of event.records) if (status !== "waiting_approval") unknown.delete(task_id);
    } else if (event.type === "effect-begin" && unrepeatable.has(event.taskId)) {
      const session = sessionOf.get(event.process) ?? "";
      const before = unknown.get(event.taskId);
      if (before !== undefined && before !== session)
        problems.push(`${event.taskId} was begun again by ${event.process} at ${event.atMs}, and nobody was asked`);
      unknown.set(event.taskId, session);
    }
  }
  return problems;
};

/** Every attempt of a task, in every session, has one idempotency key, and no other task has it. */
const oneKey: Check = (history) => {
  const problems: string[] = [];
  const keys = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const event of history) {
    if (event.type !== "effect-begin") continue;
    const { taskId, key } = event;
    if ((keys.get(taskId) ?? key) !== key) problems.push(`${taskId} has the keys ${keys.get(taskId)} and ${key}`);
    if ((owners.get(key) ?? taskId) !== taskId) problems.push(`${owners.get(key)} and ${taskId} have one key`);
    keys.set(taskId, key);
    owners.set(key, taskId);
  }
  return problems;
};

export const checks: readonly Check[] = [
  oneWriter,
  nothingStolen,
  nothingLost,
  nothingAgain,
  failuresStay,
  inOrder,
  toldWhenKept,
  withinLimits,
  withinBudget,
  gatesHold,
  unknownIsAsked,
  oneKey,
];
