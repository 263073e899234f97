import type { BehaviorController, CallOptions, ControllerReply, Phase1Request } from "../behavior-controller.ts";
import { type DraftedPlan, readDraft } from "./drafted-plan.ts";

/** What a planner without a model says of a request: its plan, or why it has none. */
export interface Drafted {
  readonly draft?: DraftedPlan;
  readonly refusal?: string;
}

/** Asks for a draft. A planner that fails has none, and says nothing. Rejects with the reason of an aborted signal. */
export async function draftedBy(
  controller: BehaviorController,
  request: Phase1Request,
  options: CallOptions,
): Promise<Drafted> {
  const { feedback: _, ...alone } = request;
  const reply = await attempt(() => controller.processPhase1(alone, quiet(options)), options);
  if (reply?.success === false) return reply.message === undefined ? {} : { refusal: reply.message };
  const draft = reply && readDraft(reply);
  return draft === undefined ? {} : { draft };
}

/** What a draft says of the plan that is taken instead of it. */
export function draftedIn({ calls, confidence }: DraftedPlan): Pick<ControllerReply, "drafted"> {
  return { drafted: { callees: calls.map(({ callee }) => callee), confidence } };
}

/** A drafting controller that fails is one that has no draft. */
export async function attempt(
  ask: () => Promise<ControllerReply>,
  { signal }: CallOptions,
): Promise<ControllerReply | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return undefined;
  }
}

/** For what is not streamed: drafts, and what is asked about a plan. Only tasks of the controller that decides are. */
export function quiet({ onDelta: _, onRestart: __, ...options }: CallOptions): CallOptions {
  return options;
}

/** As many resources as were to be described, but those first that the draft calls or considered. A text that describes them itself stays as it is. */
export function withConsidered({ calls }: DraftedPlan, request: Phase1Request): Phase1Request {
  const { resources = [], shown_resources: shown, sections } = request;
  if (shown === undefined || sections === undefined) return request;
  const wanted = new Set([...calls.map(({ callee }) => callee), ...calls.flatMap(({ alternatives }) => alternatives)]);
  const byId = new Map([...resources, ...shown].map((resource) => [resource.id, resource]));
  const first = [...wanted].flatMap((id) => byId.get(id) ?? []);
  const rest = shown.filter(({ id }) => !wanted.has(id));
  return { ...request, shown_resources: [...first, ...rest].slice(0, shown.length) };
}
