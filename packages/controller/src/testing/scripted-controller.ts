import type { BehaviorController, ControllerReply, Phase1Request, Phase2Request } from "../behavior-controller.ts";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { Script } from "./script.ts";

/** One answer: to a phase-1 or a phase-2 request, as a reply, an error, or made from the request. */
export type ControllerStep =
  | { readonly phase1: ControllerReply | Error | ((request: Phase1Request) => ControllerReply) }
  | { readonly phase2: ControllerReply | Error | ((request: Phase2Request) => ControllerReply) };

export interface ScriptedController extends BehaviorController {
  /** Every request so far, with its phase. */
  readonly requests: readonly (
    | { readonly phase: 1; readonly request: Phase1Request }
    | { readonly phase: 2; readonly request: Phase2Request }
  )[];
  /** @throws ControllerError SCRIPT when steps are left over. */
  assertDone(): void;
}

/** A controller that follows a script. A call that the script does not have next rejects with SCRIPT. */
export function scriptedController(steps: readonly ControllerStep[]): ScriptedController {
  const script = new Script("scripted controller", steps);
  const requests: ScriptedController["requests"][number][] = [];
  return {
    name: "scripted",
    requests,
    async processPhase1(request, { signal } = {}) {
      signal?.throwIfAborted();
      requests.push({ phase: 1, request });
      const step = script.take("a phase-1 request");
      return answer("phase1" in step ? step.phase1 : outOfOrder(1), request);
    },
    async processPhase2(request, { signal } = {}) {
      signal?.throwIfAborted();
      requests.push({ phase: 2, request });
      const step = script.take("a phase-2 request");
      return answer("phase2" in step ? step.phase2 : outOfOrder(2), request);
    },
    assertDone: () => script.assertDone(),
  };
}

function answer<Request>(
  step: ControllerReply | Error | ((request: Request) => ControllerReply),
  request: Request,
): ControllerReply {
  if (step instanceof Error) {
    throw step;
  }
  return typeof step === "function" ? step(request) : step;
}

function outOfOrder(phase: 1 | 2): ControllerError {
  return new ControllerError(
    ControllerErrorCode.SCRIPT,
    `Expected a phase-${3 - phase} request next, got one of phase ${phase}.`,
  );
}
