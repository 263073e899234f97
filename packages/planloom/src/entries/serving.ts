// For packages that serve a Planloom: who may come without a token, how a server listens and ends, and how much an answer has.

export { type AnsweredIssues, answeredDetails, answeredIssues, maxAnsweredIssues } from "../answered-issues.ts";
export { bearsToken } from "../serving/bearer.ts";
export { isTooDeep, maxBodyDepth } from "../serving/body-depth.ts";
export { type Listening, listenOn, requestTimeouts } from "../serving/listen-on.ts";
export { ListenerLimit, type ListenerRefusal } from "../serving/listener-limit.ts";
export { isLoopback } from "../serving/loopback.ts";
export { type BodyRefusal, bodyRefusal, readBody } from "../serving/read-body.ts";
