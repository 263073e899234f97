import { type BehaviorController, LlmController } from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import type { PlanloomOptions } from "./planloom-options.ts";

/** The controller of an instance without the option `controller`: its model, or the embedded planner where it has no model. */
export function defaultController(options: PlanloomOptions): BehaviorController {
  const { model } = options;
  return model === undefined ? new EmbeddedController(clockOf(options)) : new LlmController({ model });
}

const clockOf = ({ now, timeZone }: PlanloomOptions) => ({
  ...(now === undefined ? {} : { now }),
  ...(timeZone === undefined ? {} : { timeZone }),
});
