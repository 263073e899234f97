// For packages that serve a Planloom over HTTP: who may come without a token, and how a server listens and ends.

export { bearsToken } from "../serving/bearer.ts";
export { type Listening, listenOn } from "../serving/listen-on.ts";
export { isLoopback } from "../serving/loopback.ts";
export { type BodyRefusal, bodyRefusal, readBody } from "../serving/read-body.ts";
