import { parentPort } from "node:worker_threads";
import { strategies } from "@planloom/optimizer";
import { type AnnealingOptions, type PairResult, searchPair } from "./search-pair.ts";

/** What the main thread asks for, one pair at a time. */
export interface PairRequest extends AnnealingOptions {
  readonly judged: string;
  readonly against: string;
}

export interface PairReply extends PairResult {
  readonly judged: string;
  readonly against: string;
}

parentPort?.on("message", ({ judged, against, ...options }: PairRequest) => {
  const found = searchPair(strategies.get(judged)!, strategies.get(against)!, options);
  parentPort!.postMessage({ judged, against, ...found } satisfies PairReply);
});
