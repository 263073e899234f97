import type { CallPermit, CallPermitSource, DispatchRequest } from "@planloom/runtime";

type BegunPlace = DispatchRequest["begun"][number];

/** The permits of a subgraph's calls, as far as they are not at their end. */
export class OpenPermits {
  readonly #open = new Map<CallPermit, Omit<BegunPlace, "begun">>();
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
        this.#open.set(permit, { path, ...(scope !== undefined && { scope }), task_id });
        const ended = () => this.#open.delete(permit);
        return {
          type: "go",
          permit: {
            ...permit,
            settle: (used) => {
              ended();
              permit.settle(used);
            },
            withdraw: (used) => {
              ended();
              permit.withdraw(used);
            },
          },
        };
      },
    };
  }

  /** Ends all: the worker that had them is gone. */
  lose(): void {
    for (const [permit, place] of this.#open) {
      const begun = permit.lose?.();
      if (begun !== undefined) this.begun.push({ ...place, begun });
    }
    this.#open.clear();
  }
}
