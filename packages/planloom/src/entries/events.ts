// What is reported while plans are made and run: events by type, streams of a run or plan, and subscriptions to a stored run. Types alone.
export type { PlanloomEvent, PlanloomEventOf, PlanloomEventType, PlanloomListener } from "../events.ts";
export type { PlanGroupedEvent } from "../grouping/run-grouping.ts";
export type { PlanStream, StreamedTask } from "../plan-stream.ts";
export type { RunStream, StreamEvent, StreamGap, StreamOptions } from "../run-stream.ts";
export type { RunSubscription, SubscribedEvent, SubscribeOptions } from "../subscription.ts";
