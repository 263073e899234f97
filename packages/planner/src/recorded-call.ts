import type { CallOptions, ModelCall } from "@planloom/controller";
import type { BindOptions, RecordedCall } from "@planloom/plan";

/** The hooks of a run before and after model calls, as a controller gets them. */
export function callHooks({
  beforeCall,
  onCall,
}: {
  readonly [Hook in "beforeCall" | "onCall"]: BindOptions[Hook] | undefined;
}): Pick<CallOptions, "beforeCall" | "onCall"> {
  return {
    ...(beforeCall === undefined ? {} : { beforeCall }),
    ...(onCall === undefined ? {} : { onCall: (call: ModelCall) => onCall(recordedCall(call)) }),
  };
}

/** The options of an attempt with the hooks of a run: both hear of each call. */
export function withHooks(options: CallOptions, hooks: Pick<CallOptions, "beforeCall" | "onCall"> = {}): CallOptions {
  const { beforeCall, onCall } = hooks;
  return {
    ...options,
    ...(beforeCall !== undefined && { beforeCall }),
    ...(onCall !== undefined && {
      onCall(call: ModelCall) {
        options.onCall?.(call);
        onCall(call);
      },
    }),
  };
}

function recordedCall({ request, reply, error, latencyMs, usage = reply?.usage }: ModelCall): RecordedCall {
  return {
    request,
    latencyMs,
    ...(reply === undefined ? {} : { reply }),
    ...(error === undefined ? {} : { error }),
    ...(usage === undefined ? {} : { usage }),
  };
}
