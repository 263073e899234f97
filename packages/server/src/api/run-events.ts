import type { Handler } from "./handler.ts";
import { invalidRequest } from "./invalid-request.ts";

/** Server-sent events of a run; or, for who accepts JSON and no stream, those that the journal has so far. */
export const runEvents: Handler<"runEvents"> = async ({ workspace, params, query, headers }) => {
  const { run_id } = params;
  const last = headers.get("last-event-id");
  const after = last === null || last === "" ? (query.after ?? -1) : readSeq(last);
  const accept = headers.get("accept") ?? "";
  if (accept.includes("application/json") && !accept.includes("text/event-stream")) {
    const journal = await workspace.journal();
    await journal.getRun(run_id);
    return Response.json({ events: (await journal.getEvents?.(run_id, { after })) ?? [] });
  }
  const listen = { after, follow: query.follow !== "false", isBack: last !== null && last !== "" };
  const stream = await workspace.feeds.listen(run_id, listen);
  // A browser that gets this does not come back.
  if (stream === undefined) return new Response(null, { status: 204 });
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Proxies of nginx's kind hold back what no header lets through.
      "x-accel-buffering": "no",
    },
  });
};

function readSeq(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidRequest([{ in: "header", path: "last-event-id", message: "expected the id of an event, a number" }]);
}
