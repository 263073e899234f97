import { type BehaviorController, LlmController } from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import type { PlanloomOptions } from "./planloom-options.ts";

/**
 * The controller of an instance: that of its options, else its model, else the embedded planner. A model that plans alone has the embedded planner beside it, unless it is
 * given `rules`: what cannot be done is not planned without a word.
 */
export function defaultController(options: PlanloomOptions): BehaviorController {
  const { controller, model } = options;
  if (controller !== undefined && !(controller instanceof LlmController)) return controller;
  const rules = new EmbeddedController(clockOf(options));
  if (controller !== undefined) return controller.withRules(rules);
  return model === undefined ? rules : new LlmController({ model, rules });
}

const clockOf = ({ now, timeZone }: PlanloomOptions) => ({
  ...(now === undefined ? {} : { now }),
  ...(timeZone === undefined ? {} : { timeZone }),
});
