import { setTimeout as sleep } from "node:timers/promises";

/** Tools that behave as the `tools` of a case say: `returns`, `throws`, `raises`, `fails`, `echo`, `delayMs`, `failTimes`. */
export function stubTools(spec: Readonly<Record<string, StubTool>>, options: StubOptions = {}): StubTools {
  const { silent = "undefined", also = [] } = options;
  const names = [...new Set([...Object.keys(spec), ...also])];
  const calls: StubTools["calls"] = [];
  const began = performance.now();
  const now = () => performance.now() - began;
  return {
    calls,
    tools: names.map((id) => ({
      id,
      description: `Stub ${id}.`,
      async execute(input, { signal }) {
        const stub = Object.hasOwn(spec, id) ? spec[id]! : {};
        const nominalStartMs = Math.max(0, ...calls.map((each) => (each.endedMs <= now() ? each.nominalEndMs : 0)));
        const nominalEndMs = nominalStartMs + (stub.delayMs ?? 0);
        const endedMs = Number.POSITIVE_INFINITY;
        const call = { tool: id, input, startedMs: now(), endedMs, nominalStartMs, nominalEndMs };
        calls.push(call);
        try {
          const attempt = calls.filter(({ tool }) => tool === id).length;
          return await behave(stub, { id, input, attempt, silent, signal });
        } finally {
          call.endedMs = now();
        }
      },
    })),
    inOrder: (planOrder) => {
      const order: StubCall[] = [];
      let together: StubCall[] = [];
      let firstEnd = Number.POSITIVE_INFINITY;
      const flush = () => {
        order.push(...together.sort((left, right) => planOrder.indexOf(left.tool) - planOrder.indexOf(right.tool)));
        together = [];
        firstEnd = Number.POSITIVE_INFINITY;
      };
      for (const call of calls) {
        if (call.startedMs >= firstEnd) flush();
        together.push(call);
        firstEnd = Math.min(firstEnd, call.endedMs);
      }
      flush();
      return order;
    },
    counts: () => Object.fromEntries(names.map((id) => [id, calls.filter(({ tool }) => tool === id).length])),
    maxConcurrent: () =>
      Math.max(
        0,
        ...calls.map(({ startedMs: at }) => calls.filter((call) => call.startedMs <= at && call.endedMs > at).length),
      ),
  };
}

interface Situation {
  readonly id: string;
  readonly input: Record<string, unknown>;
  readonly attempt: number;
  readonly silent: NonNullable<StubOptions["silent"]>;
  readonly signal: AbortSignal;
}

async function behave(stub: StubTool, { id, input, attempt, silent, signal }: Situation): Promise<unknown> {
  if (stub.delayMs !== undefined) await sleep(stub.delayMs, undefined, { signal });
  const failure = stub.throws ?? stub.raises ?? stub.fails;
  if (failure !== undefined) throw new Error(failure);
  if (attempt <= (stub.failTimes ?? 0)) throw new Error(`failure ${attempt} of ${stub.failTimes}`);
  if (stub.echo === true) return { got: input };
  if (Object.hasOwn(stub, "returns")) return stub.returns;
  return silent === "echo" ? input : silent === "name" ? `r:${id}` : undefined;
}
