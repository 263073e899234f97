import type { Model } from "@planloom/controller";

const usualMs = 180_000;
/** The model ends its call itself, and says what to do; whoever waits for it is a little more patient. */
const slackMs = 1_000;

/** How long a call of the model may take where nobody says, in milliseconds: what the model itself says, else 180,000. */
export function modelTimeoutMs(model: Model | undefined): number {
  const own = model?.timeoutMs;
  return typeof own === "number" && own > 0 ? own + slackMs : usualMs;
}
