import { createContext, Script } from "node:vm";
import type { ProposeOptions, RuleStrategy } from "planloom/optimizer";
import { timerMs } from "planloom/plan";

/** What a proposal may take beside the deadline that it was given. */
const PATIENCE_MS = 60_000;

const call = new Script("call()", { filename: "propose" });

/**
 * A strategy of a module of the user's own, whose proposals end: one that takes a minute longer than its deadline is stopped, and Ctrl-C stops one as well, though
 * nothing else is done in the process meanwhile.
 */
export function stoppable(strategy: RuleStrategy, patienceMs = PATIENCE_MS): RuleStrategy {
  const { refine } = strategy;
  return {
    name: strategy.name,
    version: strategy.version,
    description: strategy.description,
    deterministic: strategy.deterministic,
    ...(strategy.regards !== undefined && { regards: strategy.regards }),
    ...(strategy.seeded !== undefined && { seeded: strategy.seeded }),
    ...(strategy.largest !== undefined && { largest: strategy.largest }),
    ...(strategy.members !== undefined && { members: strategy.members }),
    ...(refine !== undefined && {
      refine: (view, environment, sorted, options) =>
        limited(() => refine.call(strategy, view, environment, sorted, options), limitOf(options, patienceMs)),
    }),
    propose: (view, environment, options) =>
      limited(() => strategy.propose(view, environment, options), limitOf(options, patienceMs)),
  };
}

const limitOf = ({ deadlineMs }: ProposeOptions, patienceMs: number): number =>
  Number.isFinite(deadlineMs) ? deadlineMs + patienceMs : patienceMs;

function limited<Value>(work: () => Value, limitMs: number): Value {
  const context = createContext({ call: work });
  try {
    return call.runInContext(context, { timeout: timerMs(Math.ceil(limitMs)), breakOnSigint: true });
  } catch (cause) {
    // It may be an Error of the other context.
    const { code } = Object(cause) as { readonly code?: unknown };
    if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new Error(`It had not ended after ${limitMs / 1000} s, and was stopped.`, { cause });
    // The process has a handler of its own, which was not asked.
    if (code === "ERR_SCRIPT_EXECUTION_INTERRUPTED") process.kill(process.pid, "SIGINT");
    throw cause;
  }
}
