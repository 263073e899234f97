import type OpenAI from "openai";
import { unreachable } from "../transport/connection-errors.ts";
import { shownUrl } from "../transport/endpoint.ts";
import { createClient, findControllerError } from "./client.ts";
import type { ModelSettings } from "./options.ts";
import type { Endpoint, Wire } from "./wire.ts";

/** An OpenAI-compatible endpoint behind HTTP. */
export function httpEndpoint(settings: ModelSettings, wire: Wire): Endpoint {
  const url = shownUrl(`${settings.baseURL}${wire.path}`);
  let made: Promise<OpenAI> | undefined;
  return {
    url,
    offer: wire.offer,
    title: wire.title,
    otherwise: wire.otherwise,
    writeBody: wire.writeBody,
    async send(body, { signal, onDelta, onWhole }) {
      try {
        made ??= createClient(settings);
        const client = await made;
        const response = await client.post(wire.path, { body, signal }).asResponse();
        if (response.headers.get("content-type")?.includes("text/event-stream")) {
          const { idleTimeoutMs } = settings;
          return await wire.collect(response, client, { url, readText: wire.readText, idleTimeoutMs, onDelta });
        }
        const reply = wire.readText(await response.text(), url);
        onWhole(reply.text);
        return reply;
      } catch (error) {
        throw findControllerError(error) ?? unreachable(url, error, settings.secrets);
      }
    },
  };
}
