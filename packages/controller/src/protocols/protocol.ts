import type { PlanIssue } from "@planloom/plan";
import type { Phase1Request, Phase2Request } from "../behavior-controller.ts";
import type { ModelReply, ModelRequest } from "../model.ts";
import type { ControllerPrompts } from "../prompts/controller-prompts.ts";

export interface ProtocolSettings {
  readonly instructions?: string;
  readonly prompts: ControllerPrompts;
  /** How many resources the request does not have because they would not fit. @default 0 */
  readonly resourcesLeftOut?: number;
  /** The request has its resources in the order of their relevance. @default false */
  readonly isRanked?: boolean;
}

/** What a protocol decides of a model request; model, temperature and limits are the controller's. */
export type ProtocolRequest = Pick<ModelRequest, "messages" | "schema">;

/** What a model's text says. */
export type ProtocolAnswer =
  | { readonly data: unknown; readonly issues?: readonly PlanIssue[] }
  | {
      readonly message: string;
      readonly issues: readonly PlanIssue[];
      /** Asking again would bring the same. @default false */
      readonly final?: boolean;
    };

export interface Phase<Request> {
  write(request: Request, settings: ProtocolSettings): ProtocolRequest;
  /** Total: a text that cannot be read is an answer with issues. */
  read(reply: ModelReply, request: Request): ProtocolAnswer;
  /** Tokens, where neither the controller's options nor the request say. */
  readonly maxTokens: number;
  /** Likewise. */
  readonly temperature?: number;
}

/** How a kind of model is asked for a plan, and for the input of one task. */
export interface Protocol {
  readonly name: string;
  /** How many resources a prompt describes where the controller's options do not say. @default all that fit */
  readonly maxResources?: number;
  /** As of `BehaviorController`. */
  readonly ranksAbove?: number;
  readonly phase1: Phase<Phase1Request>;
  readonly phase2: Phase<Phase2Request>;
  /** Asks for a replan. @default Planloom's own form */
  readonly replan?: Phase<Phase1Request>;
}
