import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonSchema } from "@planloom/plan";

/** A tool as an MCP server lists it. */
export interface WildTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/** A goal over the tools of one or several real servers; the rest of its record is the scorer's business. */
export interface WildGoal {
  readonly id: string;
  readonly catalogue: string;
  /** `impossible`: no tool does it; `ambiguous`: something is missing that must be named. */
  readonly kind: "do" | "impossible" | "ambiguous";
  readonly tags: readonly string[];
  readonly query: string;
  readonly gold: WildPlan;
  /** Other plans that are right. */
  readonly alternatives?: readonly WildPlan[];
}

export interface WildPlan {
  readonly steps: readonly { readonly tool: string; readonly args: object }[];
}

/** What a planner made of a goal, in the form that the scorer takes. */
export interface WildPrediction {
  readonly id: string;
  /** Milliseconds of the planning alone, the tools being indexed. */
  readonly ms?: number;
  /** The product handed a plan out instead of an error. */
  readonly accepted: boolean;
  /** Something about the plan is marked: an open point, a question, or that it is only a proposal. */
  readonly marked: boolean;
  readonly confidence?: number;
  /** Bare names of the tools that are called, and of those that are named beside them or in their place. */
  readonly offered?: readonly string[];
  readonly tasks: readonly {
    readonly id: string;
    readonly tool: string;
    readonly server: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly deps: readonly string[];
  }[];
  readonly unresolved: readonly { readonly reason: string; readonly text: string; readonly message: string }[];
  readonly error?: { readonly code?: string; readonly message: string };
}

/** The scorer's judgement of one plan. */
export interface WildVerdict {
  /** Exactly the right tools, each as often as needed. */
  readonly tools: boolean;
  /** Of `do` and `ambiguous` goals: tools, arguments and order; of `impossible` ones: no plan. */
  readonly whole: boolean;
  readonly refused?: boolean;
  readonly notes: readonly string[];
}

export interface WildData {
  readonly goals: readonly WildGoal[];
  /** The tools of a server, by its name. */
  readonly servers: Readonly<Record<string, { readonly name: string; readonly tools: readonly WildTool[] }>>;
  /** The servers of a catalogue: one of the same name, or several. */
  serversOf(catalogue: string): readonly string[];
  judge(goal: WildGoal, prediction: WildPrediction): WildVerdict;
}

/**
 * Reads a folder with `goals.json`, `catalogues.json` and `score.mjs`. The scorer lies with the data, so that goals that
 * are kept elsewhere are scored by the same rules.
 */
export async function readWild(folder: string): Promise<WildData> {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const goals = read("goals.json") as WildData["goals"];
  const servers = read("catalogues.json") as WildData["servers"];
  const scorer = (await import(pathToFileURL(join(folder, "score.mjs")).href)) as {
    readonly COMBO: Readonly<Record<string, readonly string[]>>;
    judge(goal: WildGoal, prediction: WildPrediction, tools: readonly WildTool[]): WildVerdict;
  };
  const serversOf = (catalogue: string) =>
    (scorer.COMBO[catalogue] ?? [catalogue]).filter((name) => Object.hasOwn(servers, name));
  return {
    goals,
    servers,
    serversOf,
    judge: (goal, prediction) =>
      scorer.judge(
        goal,
        prediction,
        serversOf(goal.catalogue).flatMap((name) => servers[name]?.tools ?? []),
      ),
  };
}
