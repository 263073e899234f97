import { timerMs } from "@planloom/plan";
import type OpenAI from "openai";
import { ControllerError } from "../errors.ts";
import { guardedFetch } from "../transport/guarded-fetch.ts";
import type { ModelSettings } from "./options.ts";

/** The library costs 86 ms to import, so it is imported by the first call. */
export async function createClient(settings: ModelSettings): Promise<OpenAI> {
  const { default: OpenAI } = await import("openai");
  const { apiKey } = settings;
  const atOpenai = new URL(settings.baseURL).hostname === "api.openai.com";
  return new OpenAI({
    apiKey: apiKey === "" ? "none" : apiKey,
    adminAPIKey: null,
    ...(atOpenai ? {} : { organization: null, project: null }),
    baseURL: settings.baseURL,
    defaultHeaders: { ...(apiKey === "" ? { Authorization: null } : {}), ...settings.headers },
    timeout: timerMs(settings.timeoutMs),
    maxRetries: 0,
    logLevel: "off",
    fetch: guardedFetch({
      fetch: settings.fetch,
      maxBytes: settings.maxResponseBytes,
      idleTimeoutMs: settings.idleTimeoutMs,
      secrets: settings.secrets,
      now: settings.now,
    }),
  });
}

/** The library wraps what our `fetch` throws. */
export function findControllerError(error: unknown): ControllerError | undefined {
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error; depth += 1) {
    if (inner instanceof ControllerError) {
      return inner;
    }
    inner = inner.cause;
  }
  return undefined;
}
