/** Whether a response says that it is a stream of server-sent events. */
export function isEventStream(headers: Headers): boolean {
  return /^\s*text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

/** Whether a text is one all the same: servers and proxies call it plain text, or nothing. */
export function looksLikeEvents(text: string): boolean {
  return /^\uFEFF?\s*(?:data|event|id|retry)?:/.test(text.slice(0, 1_024));
}
