import type { RuleStrategy } from "../strategy.ts";
import { chainFusion } from "./chain-fusion.ts";
import { components } from "./components.ts";
import { levelLpt } from "./level-lpt.ts";
import { perTask } from "./per-task.ts";
import { portfolio } from "./portfolio.ts";
import { single } from "./single.ts";

/** Every built-in strategy by name. */
export const strategies: ReadonlyMap<string, RuleStrategy> = new Map(
  [single, perTask, components, chainFusion, levelLpt, portfolio].map((strategy) => [strategy.name, strategy]),
);
