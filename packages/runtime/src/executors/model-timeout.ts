import type { Model } from "@planloom/controller";

const usualMs = 180_000;
/** The model ends its call itself, with an error that says what to do. The limit around it is a little longer. */
const slackMs = 1_000;

/** The default time limit of a model call, in milliseconds: that of the model itself, else 180,000. */
export function modelTimeoutMs(model: Model | undefined): number {
  const own = model?.timeoutMs;
  return typeof own === "number" && own > 0 ? own + slackMs : usualMs;
}
