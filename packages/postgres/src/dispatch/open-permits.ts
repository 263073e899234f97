import type { CallPermit, CallPermitSource, DispatchRequest, NestedRecord } from "@planloom/runtime";
import { nestedRecordKey, pendingKey } from "@planloom/runtime/journal-parts";

type BegunPlace = DispatchRequest["begun"][number];

type Place = Omit<BegunPlace, "begun">;

/** The permits of a subgraph's calls, until the run knows what became of them. */
export class OpenPermits {
  readonly #open = new Map<CallPermit, Place>();
  /** Calls that have ended and whose task is not recorded yet, by their place. */
  readonly #ended = new Map<string, { readonly permit: CallPermit; readonly place: Place }>();
  /** Calls whose worker was gone before it could say what became of them, where a person must be asked before they are made again. */
  readonly begun: BegunPlace[] = [];
  readonly source: CallPermitSource;

  constructor(calls: CallPermitSource) {
    this.source = {
      learn: (value) => calls.learn(value),
      ask: async (call, signal) => {
        const answer = await calls.ask(call, signal);
        if (answer.type !== "go") return answer;
        const { permit } = answer;
        const { path, scope, task_id } = call;
        const place = { path, ...(scope !== undefined && { scope }), task_id };
        this.#open.set(permit, place);
        this.#ended.delete(pendingKey(place));
        return {
          type: "go",
          permit: {
            ...permit,
            settle: (used) => {
              this.#open.delete(permit);
              this.#ended.set(pendingKey(place), { permit, place });
              permit.settle(used);
            },
            withdraw: (used) => {
              this.#open.delete(permit);
              permit.withdraw(used);
            },
          },
        };
      },
    };
  }

  /** A task of the subgraph itself is recorded, with all that was called within it. */
  recorded(taskId: string): void {
    for (const [key, { place }] of this.#ended)
      if ((place.path[0] ?? place.task_id) === taskId) this.#ended.delete(key);
  }

  recordedNested(records: readonly NestedRecord[]): void {
    for (const record of records) this.#ended.delete(nestedRecordKey(record));
  }

  /** Ends all: the worker that had them is gone. What it had not reported of a call that had ended is as unknown as what it was calling. */
  lose(): void {
    const lost = [...this.#open].map(([permit, place]) => ({ permit, place }));
    for (const { permit, place } of [...lost, ...this.#ended.values()]) {
      const begun = permit.lose?.();
      if (begun !== undefined) this.begun.push({ ...place, begun });
    }
    this.#open.clear();
    this.#ended.clear();
  }
}
