import { type PlanView, planViewFromEdges } from "@planloom/plan";
import fc from "fast-check";
import { advance } from "../../packages/runtime/src/core/advance.ts";
import { checkInvariants } from "../../packages/runtime/src/core/check-invariants.ts";
import type { Command, CoreEvent } from "../../packages/runtime/src/core/core-event.ts";
import { JoinRule } from "../../packages/runtime/src/core/joins.ts";
import { Limits } from "../../packages/runtime/src/core/limits.ts";
import { createRunState, type RunState } from "../../packages/runtime/src/core/run-state.ts";
import { isTerminal } from "../../packages/runtime/src/core/task-state.ts";

/** Feeds the core and checks its laws after every event. */
export class CoreDriver {
  readonly state: RunState;
  readonly commands: Command[] = [];
  readonly started: string[] = [];

  constructor(state: RunState) {
    this.state = state;
  }

  feed(event: CoreEvent): Command[] {
    const before = this.state.state.slice();
    const commands = advance(this.state, event);
    const broken = checkInvariants(this.state);
    // A revision replaces tasks that have ended, and brings back what was skipped for them; so does the beginning, for tasks that are tried again.
    const bringsBack = event.type === "revise" || event.type === "begin";
    // A number of a list may mean a further element.
    const further = new Set(commands.flatMap((command) => (command.type === "element" ? [command.task] : [])));
    for (let task = 0; !bringsBack && task < before.length; task++) {
      if (isTerminal(before[task]!) && !further.has(task) && before[task] !== this.state.state[task])
        broken.push(`task ${task} left its end`);
    }
    if (broken.length > 0) throw new Error(`After ${JSON.stringify(event)}: ${broken.join("; ")}`);
    this.commands.push(...commands);
    for (const command of commands) {
      if (command.type === "start") this.started.push(this.state.view.ids[command.task]!);
    }
    return commands;
  }

  /** Of the last end: an answer may let a run that waits go on. */
  get endReason(): string | undefined {
    if (this.state.phase !== "ended") return undefined;
    return this.commands.findLast((command) => command.type === "finish")?.endReason;
  }
}

/** `"a>b"` says that b depends on a; `"a"` alone names a task. Durations default to 1. */
export function viewOf(edges: readonly string[], work: Readonly<Record<string, number>> = {}): PlanView {
  const ids = [...new Set(edges.flatMap((edge) => edge.split(">")))];
  const pairs = edges.filter((edge) => edge.includes(">")).map((edge) => edge.split(">") as [string, string]);
  return planViewFromEdges({
    n: ids.length,
    ids,
    from: pairs.map(([from]) => ids.indexOf(from)),
    to: pairs.map(([, to]) => ids.indexOf(to)),
    work: ids.map((id) => work[id] ?? 1),
  });
}

export interface RandomRun {
  readonly state: () => RunState;
  readonly n: number;
}

/** A random DAG with random durations, kinds, resources and limits. */
export const randomRun: fc.Arbitrary<RandomRun> = fc
  .integer({ min: 1, max: 12 })
  .chain((n) =>
    fc.record({
      n: fc.constant(n),
      edges: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 24 }),
      work: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: n, maxLength: n }),
      kind: fc.array(fc.nat(2), { minLength: n, maxLength: n }),
      resource: fc.array(fc.nat(2), { minLength: n, maxLength: n }),
      halts: fc.array(fc.nat(9), { minLength: n, maxLength: n }),
      gates: fc.array(fc.nat(9), { minLength: n, maxLength: n }),
      joins: fc.array(fc.constantFrom(JoinRule.ALL, JoinRule.ALL, JoinRule.ANY, JoinRule.NONE_FAILED), {
        minLength: n,
        maxLength: n,
      }),
      concurrency: fc.integer({ min: 1, max: 5 }),
      kindLimit: fc.integer({ min: 1, max: 3 }),
      resourceLimit: fc.integer({ min: 1, max: 3 }),
    }),
  )
  .map(({ n, edges, work, kind, resource, halts, gates, joins, concurrency, kindLimit, resourceLimit }) => {
    const forward = edges.filter(([from, to]) => from < to);
    const view = planViewFromEdges({ n, from: forward.map(([f]) => f), to: forward.map(([, t]) => t), work });
    return {
      n,
      state() {
        const limits = new Limits({
          concurrency,
          kinds: new Map([["tool", kindLimit]]),
          resources: new Map([
            ["tool:a", resourceLimit],
            ["llm:m", 1],
          ]),
        });
        const kindGroup = Int32Array.from(kind, (k) => limits.kindGroup(k === 0 ? "llm" : "tool"));
        const resourceGroup = Int32Array.from(resource, (r, task) =>
          limits.resourceGroup(kind[task] === 0 ? "llm" : "tool", r === 0 ? (kind[task] === 0 ? "m" : "a") : "other"),
        );
        return createRunState(view, {
          limits,
          kindGroup,
          resourceGroup,
          halts: Uint8Array.from(halts, (h) => (h === 9 ? 1 : 0)),
          gates: Uint8Array.from(gates, (g) => (g >= 8 ? 1 : 0)),
          joins: Uint8Array.from(joins),
        });
      },
    };
  });
