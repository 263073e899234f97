import { ControllerError, ControllerErrorCode } from "../errors.ts";

/** Steps taken one by one; both a step too many and a step left over are errors. */
export class Script<Step> {
  readonly #subject: string;
  readonly #steps: readonly Step[];
  #next = 0;

  constructor(subject: string, steps: readonly Step[]) {
    this.#subject = subject;
    this.#steps = steps;
  }

  /** @throws ControllerError SCRIPT when nothing is left. */
  take(asked: string): Step {
    const step = this.#steps[this.#next];
    if (this.#next >= this.#steps.length || step === undefined) {
      throw new ControllerError(
        ControllerErrorCode.SCRIPT,
        `Expected at most ${this.#steps.length} calls of the ${this.#subject}, got one more: ${asked}.`,
      );
    }
    this.#next += 1;
    return step;
  }

  /** @throws ControllerError SCRIPT when steps are left. */
  assertDone(): void {
    const left = this.#steps.length - this.#next;
    if (left > 0) {
      throw new ControllerError(
        ControllerErrorCode.SCRIPT,
        `Expected ${this.#steps.length} calls of the ${this.#subject}, got ${this.#next}.`,
        { details: { left } },
      );
    }
  }
}
