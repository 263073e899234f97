// For packages that serve a Planloom over HTTP: who may come without a token, and how a server listens and ends.

export { type Listening, listenOn } from "../serving/listen-on.ts";
export { isLoopback } from "../serving/loopback.ts";
