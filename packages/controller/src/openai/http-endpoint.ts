import type OpenAI from "openai";
import { unreachable } from "../transport/connection-errors.ts";
import { shownUrl } from "../transport/endpoint.ts";
import { isEventStream, looksLikeEvents } from "../transport/event-stream.ts";
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
        const { idleTimeoutMs, maxResponseBytes: maxBytes } = settings;
        const options = { url, readText: wire.readText, idleTimeoutMs, maxBytes, onDelta };
        if (isEventStream(response.headers)) return await wire.collect(response, client, options);
        const text = await response.text();
        if (looksLikeEvents(text)) return await wire.collect(new Response(text), client, options);
        const reply = wire.readText(text, url);
        onWhole(reply.text);
        return reply;
      } catch (error) {
        throw findControllerError(error) ?? unreachable(url, error, settings.secrets);
      }
    },
  };
}
