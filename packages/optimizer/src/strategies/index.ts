import { robust } from "../robust/robust.ts";
import type { RuleStrategy } from "../strategy.ts";
import { acyclicMl } from "./acyclic-ml.ts";
import { affinityMerge } from "./affinity-merge.ts";
import { anytime } from "./anytime.ts";
import { bspRounds } from "./bsp-rounds.ts";
import { chainFusion } from "./chain-fusion.ts";
import { components } from "./components.ts";
import { dsc } from "./dsc.ts";
import { edgeZeroing } from "./edge-zeroing.ts";
import { exact } from "./exact.ts";
import { gdca } from "./gdca.ts";
import { idealDp } from "./ideal-dp.ts";
import { levelBatch } from "./level-batch.ts";
import { levelLpt } from "./level-lpt.ts";
import { linearClustering } from "./linear-clustering.ts";
import { perTask } from "./per-task.ts";
import { portfolio } from "./portfolio.ts";
import { randomValid } from "./random-valid.ts";
import {
  scheduleCutCpop,
  scheduleCutDls,
  scheduleCutEtf,
  scheduleCutHeft,
  scheduleCutMcp,
  scheduleCutPeft,
} from "./schedule-cut.ts";
import { single } from "./single.ts";

/** Every built-in strategy by name. */
export const strategies: ReadonlyMap<string, RuleStrategy> = new Map(
  [
    single,
    perTask,
    components,
    chainFusion,
    levelBatch,
    levelLpt,
    affinityMerge,
    linearClustering,
    edgeZeroing,
    dsc,
    gdca,
    acyclicMl,
    bspRounds,
    scheduleCutHeft,
    scheduleCutCpop,
    scheduleCutMcp,
    scheduleCutEtf,
    scheduleCutDls,
    scheduleCutPeft,
    idealDp,
    exact,
    randomValid,
    portfolio,
    anytime,
    robust,
  ].map((strategy) => [strategy.name, strategy]),
);
