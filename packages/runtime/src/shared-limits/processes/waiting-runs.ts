import { compareByClaim, type RunClaim, turnsPerFairTurn } from "@planloom/plan/internals";
import type { EntrantAnswer, EntrantRequest, ExchangeRequest } from "./exchange.ts";

/** A run that waits until it may begin. */
export interface Entrant extends EntrantRequest {
  readonly runClaim: RunClaim;
  /** Called when it may begin, before anything else. */
  readonly begin: () => void;
  /** Called when it has to wait in a queue. */
  readonly queue: () => void;
  readonly refuse: (error: Error | Extract<EntrantAnswer, { type: "full" }>) => void;
  state: "new" | "queued" | "left";
}

/** The runs of this process that have not begun, since so many runs of all processes are limited: first new, then queued. */
export class WaitingRuns {
  #entrants: Entrant[] = [];
  #begun = 0;

  get size(): number {
    return this.#entrants.length;
  }

  add(entrant: Entrant): void {
    this.#entrants.push(entrant);
  }

  /** The run waits no more. */
  remove(entrant: Entrant): void {
    entrant.state = "left";
    this.#entrants = this.#entrants.filter((other) => other !== entrant);
  }

  /** Runs that no exchange has had yet. */
  newOnes(): Entrant[] {
    return this.#entrants.filter(({ state }) => state === "new");
  }

  /** The queued runs as an exchange reports them: those with one key together. */
  waits(): ExchangeRequest["waits"] {
    const queued = new Map<string, { entrant: Entrant; count: number }>();
    for (const entrant of this.#entrants) {
      if (entrant.state !== "queued") continue;
      const same = queued.get(entrant.key);
      if (same === undefined) queued.set(entrant.key, { entrant, count: 1 });
      else {
        same.count++;
        if (compareByClaim(entrant.runClaim, same.entrant.runClaim) < 0) same.entrant = entrant;
      }
    }
    return [...queued.values()].map(({ entrant, count }) => {
      const { key, tenant, needs, claim, weight, queues } = entrant;
      return {
        key,
        tenant,
        needs,
        count,
        ...(claim && { claim }),
        ...(weight && { weight }),
        queues: queues.map(([queue]) => queue),
      };
    });
  }

  /**
   * Takes the answer of an exchange to a new run.
   * @returns false where the run had left meanwhile, so that the others have to be informed of that
   */
  answered(entrant: Entrant, answer: EntrantAnswer): boolean {
    const hasLeft = entrant.state === "left";
    switch (answer.type) {
      case "begin":
        if (!hasLeft) this.#begin(entrant);
        return !hasLeft;
      case "queued":
        if (hasLeft) return false;
        entrant.state = "queued";
        entrant.queue();
        return true;
      case "full":
        this.#entrants = this.#entrants.filter((other) => other !== entrant);
        if (!hasLeft) entrant.refuse(answer);
        return true;
      default:
        return answer satisfies never;
    }
  }

  /** Begins so many queued runs of the key. @returns false where fewer of them wait, so that the others have to be informed of that */
  letIn(key: string, count: number): boolean {
    for (let at = 0; at < count; at++) {
      const entrant = this.#next(key);
      if (entrant === undefined) return false;
      this.#begin(entrant);
    }
    return true;
  }

  /** The queued run of the key whose turn it is: by claim, and every fourth as they came. */
  #next(key: string): Entrant | undefined {
    const queued = this.#entrants.filter((one) => one.state === "queued" && one.key === key);
    if (++this.#begun % turnsPerFairTurn === 0) return queued[0];
    return queued.reduce<Entrant | undefined>(
      (best, one) => (best === undefined || compareByClaim(one.runClaim, best.runClaim) < 0 ? one : best),
      undefined,
    );
  }

  refuseAll(error: Error): void {
    for (const entrant of this.#entrants.splice(0)) entrant.refuse(error);
  }

  #begin(entrant: Entrant): void {
    this.remove(entrant);
    entrant.begin();
  }
}
