import type { EndReason } from "../events.ts";

/**
 * Why a loop ended. `responded`: the replanner answered. `completed`: all steps of the plan were executed and the replanner did not have to be
 * asked. `exited`: an exit action. `round_limit`: no answer within `maxRounds`. `stalled`: only steps that were executed already were
 * planned. The others as of a run; `failed` also when planner or replanner failed.
 */
export type LoopEndReason = EndReason | "responded" | "exited";
