import type {
  Choice,
  ManualOptimizerOptions,
  ModelOptimized,
  ModelReport,
  Optimized,
  Prediction,
} from "planloom/optimizer";
import { objectiveNames } from "../options/objective.ts";
import { count, duration, type Style } from "../terminal/style.ts";
import { renderRows } from "../terminal/table.ts";
import { wrapped } from "../terminal/wrap.ts";
import { section } from "./heading.ts";
import { durationsFrom, type ShownSources, subgraphList } from "./plan-view.ts";

export interface OptimizedParts {
  readonly front: readonly Choice[] | undefined;
  readonly blastRadius: { readonly mean: number; readonly max: number } | undefined;
  readonly weights: NonNullable<ManualOptimizerOptions["objective"]>;
  readonly tasks: number;
  /** Where the durations are from that it was grouped by. */
  readonly sources: ShownSources;
}

/** Choices shown of a front, strategies shown of the others. */
const MOST_ROWS = 12;

/** The grouping, its figures with what proves them, what else could be chosen, and what every strategy made of the plan. */
export function optimizedView(optimized: Optimized | ModelOptimized, parts: OptimizedParts, style: Style): string {
  const { environment } = optimized;
  const width =
    environment.executors === Number.POSITIVE_INFINITY
      ? "unlimited executors"
      : count(environment.executors, "executor");
  const setting = `${count(parts.tasks, "task")} on ${width}, a dispatch costs ${duration(environment.overheadMs)}`;
  return [
    section("Subgraphs", setting, style),
    subgraphList(optimized, style),
    ...(parts.tasks === 0 ? [] : [style.paint("dim", `  ${durationsFrom(parts.sources)}\n`)]),
    section("Prediction", `by ${optimized.strategy}`, style),
    figureList(optimized, parts, style),
    ...(parts.front === undefined || parts.front.length < 2 ? [] : [frontTable(optimized, parts.front, style)]),
    "model" in optimized
      ? modelLines(optimized.model, style)
      : strategyTable(
          optimized,
          Object.values(parts.weights).some((weight) => weight > 0),
          style,
        ),
  ].join("");
}

function figureList(
  optimized: Optimized | ModelOptimized,
  { blastRadius, weights, tasks }: OptimizedParts,
  style: Style,
): string {
  const { predictedMs, lowerBoundMs, dispatches, tokens, expectedReworkMs, objective } = optimized;

  const weighed = Object.entries(objectiveNames).filter(([, { weight }]) => (weights[weight] ?? 0) > 0);
  const lines: [string, string][] = [
    ["ends after", `${duration(predictedMs)}, ${gapOf(optimized)}`],
    ["bound", `${duration(lowerBoundMs)} by ${optimized.boundBy}: ${optimized.boundWitness}`],
    ["dispatches", `${dispatches} for ${count(tasks, "task")}${roundsOf(optimized)}`],
    ["tokens", tokens === 0 ? "none estimated" : tokensOf(tokens)],
  ];
  if (expectedReworkMs > 0)
    lines.push(["rework", `${duration(expectedReworkMs)} expected, by the tasks' failure probabilities`]);
  if (blastRadius !== undefined) {
    lines.push(["a failure", `repeats ${blastRadius.mean.toFixed(1)} tasks on average, ${blastRadius.max} at most`]);
  }
  if (weighed.length > 0) {
    const terms = weighed.map(([, { weight, unit }]) => `${weights[weight]} a ${unit}`);
    lines.push(["objective", `${duration(objective)}: time, ${terms.join(", ")}`]);
  }
  lines.push(["why", optimized.reason]);
  const label = Math.max(...lines.map(([name]) => name.length));
  return lines
    .map(([name, text]) => {
      const [first = "", ...rest] = wrapped(text, style.width - label - 4);
      const head = `  ${style.paint("dim", name.padEnd(label))}  ${name === "ends after" ? style.paint("bold", first) : first}`;
      return `${[head, ...rest.map((line) => " ".repeat(label + 4) + line)].join("\n")}\n`;
    })
    .join("");
}

/** A plan of which no task calls a model has them, too: what a subgraph reads of others would be in its prompt. */
function tokensOf(tokens: number): string {
  return `${Math.round(tokens).toLocaleString("en")} in the prompts, a token for four bytes of what a subgraph reads of others`;
}

function roundsOf(optimized: Optimized | ModelOptimized): string {
  const rounds = "candidates" in optimized ? optimized.candidates[0]?.rounds : undefined;
  return rounds === undefined ? "" : `, ${rounds} one after the other`;
}

/** How the model did that was asked. */
function modelLines(
  { calls, inputTokens, outputTokens, latencyMs, issues, repairs }: ModelReport,
  style: Style,
): string {
  const wrong = issues.reduce((sum, each) => sum + each.length, 0);
  const text = [
    `${count(calls, "call")}, ${duration(latencyMs)}`,
    `${inputTokens.toLocaleString("en")} tokens in, ${outputTokens.toLocaleString("en")} out`,
    wrong === 0 ? "nothing wrong in the answer" : `${count(wrong, "fault")} in the answers`,
    ...(repairs.length > 0 ? [`${count(repairs.length, "repair")}`] : []),
  ].join("; ");
  return `${section("Model", "", style)}${wrapped(text, style.width - 2)
    .map((line) => `  ${line}\n`)
    .join("")}`;
}

function gapOf({ proved, ratio, dispatchOrder }: Prediction): string {
  const kept = dispatchOrder === undefined ? "" : ", if dispatched in this order";
  if (proved) return `proved: no grouping ends earlier${kept}`;
  return `at most ${((ratio - 1) * 100).toFixed(1)}% longer than the best there can be${kept}`;
}

/** The choices, the kept one marked. */
function frontTable(
  { dispatches, predictedMs, expectedReworkMs }: Prediction,
  front: readonly Choice[],
  style: Style,
): string {
  const isKept = (choice: Choice) =>
    choice.dispatches === dispatches &&
    Math.abs(choice.makespanMs - predictedMs) < 1e-6 &&
    Math.abs(choice.expectedReworkMs - expectedReworkMs) < 1e-6;
  const spare = front.filter((choice) => !isKept(choice));
  // Evenly thinned, so that both ends and the kept one stay.
  const every = Math.max(1, Math.ceil(spare.length / (MOST_ROWS - 1)));
  const shown = front.filter((choice, at) => isKept(choice) || at % every === 0 || choice === front.at(-1));
  const rework = front.some((choice) => choice.expectedReworkMs > 0);
  const tokens = front.some((choice) => choice.tokens > 0);
  const rows = shown.map((choice) => [
    `${isKept(choice) ? style.glyph("●", "*") : " "} ${duration(choice.makespanMs)}`,
    String(choice.dispatches),
    ...(tokens ? [Math.round(choice.tokens).toLocaleString("en")] : []),
    ...(rework ? [duration(choice.expectedReworkMs)] : []),
    choice.strategy,
  ]);
  const columns = ["  ends after", "dispatches", ...(tokens ? ["tokens"] : []), ...(rework ? ["rework"] : []), "from"];
  const remark = `none of ${front.length} is better than another in everything${shown.length < front.length ? `; ${shown.length} of them` : ""}`;
  const alignRight = new Set(columns.map((_, column) => column).slice(1, -1));
  return `${section("To choose from", remark, style)}${renderRows(columns, rows, style, { alignRight })}\n`;
}

function strategyTable({ candidates, lowerBoundMs }: Optimized, weighted: boolean, style: Style): string {
  const shown = candidates.slice(0, MOST_ROWS + 4);
  const rows = shown.map((candidate) => [
    candidate.strategy,
    ...(weighted ? [duration(candidate.objective)] : []),
    duration(candidate.predictedMs),
    String(candidate.dispatches),
    String(candidate.rounds),
    candidate.parallelism.toFixed(2),
    `×${(candidate.predictedMs / Math.max(lowerBoundMs, 1e-9)).toFixed(2)}`,
  ]);
  const columns = [
    "strategy",
    ...(weighted ? ["objective"] : []),
    "ends after",
    "dispatches",
    "rounds",
    "parallel",
    "to bound",
  ];
  const more =
    candidates.length > shown.length ? style.paint("dim", `\n  … and ${candidates.length - shown.length} more`) : "";
  return `${section("Strategies", "best first", style)}${renderRows(columns, rows, style, { alignRight: new Set([1, 2, 3, 4, 5, 6]) })}${more}\n`;
}
