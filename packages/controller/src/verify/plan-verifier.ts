import type { Phase1Request } from "../behavior-controller.ts";
import { calleeOf, tasksOf } from "../hybrid/drafted-plan.ts";
import { resourcesOf } from "../hybrid/of-request.ts";
import type { LikelyToken, ModelReply, ModelRequest } from "../model.ts";
import type { verifyPrompt } from "../prompts/verify.ts";
import { goalOf } from "../protocols/goal-of.ts";

/** So many tokens are looked at; "yes" and "no" are written in several ways. */
const lookedAt = 10;
/** An answer in which yes and no have less than this says nothing: the model began to think aloud. */
const leastMass = 0.2;

/**
 * Asks a model with one token whether the calls of a plan do what the goal asks for. The word alone is worth little, small models say yes; the likelihoods of the two words tell right plans
 * from wrong ones. An endpoint that does not tell them is not asked again.
 */
export class PlanVerifier {
  readonly #prompt: typeof verifyPrompt;
  #isSilent = false;

  constructor(prompt: typeof verifyPrompt) {
    this.#prompt = prompt;
  }

  /**
   * How likely the model finds it that the plan does it, 0 to 1; undefined where it does not say.
   * @param ask makes the call; undefined where it failed
   */
  async likelihood(
    data: unknown,
    request: Phase1Request,
    ask: (request: ModelRequest) => Promise<ModelReply | undefined>,
  ): Promise<number | undefined> {
    const tasks = tasksOf(data) ?? [];
    if (this.#isSilent || tasks.length === 0) return undefined;
    const byId = resourcesOf(request);
    const calls = tasks.map((task) => {
      const id = calleeOf(task);
      const resource = byId.get(id);
      return { id, arguments: task.arguments, ...(resource !== undefined && { resource }) };
    });
    const { system, user } = this.#prompt(goalOf(request), calls);
    const messages = [
      { role: "system", content: system },
      { role: "user", content: user },
    ] as const;
    const reply = await ask({ messages, maxTokens: 1, temperature: 0, topTokens: lookedAt });
    if (reply === undefined) return undefined;
    const [first] = reply.topTokens ?? [];
    // One answer without yes and no says nothing of the next plan.
    this.#isSilent = first === undefined;
    return first === undefined ? undefined : likelihoodOfYes(first);
  }
}

/** The share of yes in yes and no. */
function likelihoodOfYes(tokens: readonly LikelyToken[]): number | undefined {
  const mass = (word: string) =>
    tokens
      .filter(({ text }) => text.trim().toLowerCase() === word)
      .reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
  const [yes, no] = [mass("yes"), mass("no")];
  return yes + no < leastMass ? undefined : yes / (yes + no);
}
