import type { ModelTool } from "@planloom/controller";
import type { WaitingCall } from "../../journal/waiting-call.ts";

/** Where in a loop a call is made. */
export interface CallPlace {
  /** The id of the nested task that a call makes, if it makes one. */
  readonly taskId: string;
  /** Hash of the conversation before it. */
  readonly conversation: string;
}

export type OwnEnd = { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly message: string };

export type OwnResult = OwnEnd | { readonly waiting: readonly WaitingCall[] };

/** A tool that a loop has beside those of the run; what it gives is bounded. */
export interface OwnTool extends ModelTool {
  /** It only reads what was given before: no step of the work. @default false */
  readonly isReader?: boolean;
  /** @param input checked against `parameters` */
  call(input: Readonly<Record<string, unknown>>, place: CallPlace): OwnResult | Promise<OwnResult>;
  /** How a call ended in an earlier session of the run. @default none is recorded, since it makes no nested call */
  recorded?(input: Readonly<Record<string, unknown>>, place: CallPlace): OwnEnd | undefined;
}
