// Plays simulated worlds by hand: `pnpm simulate SEED` prints the history of one; `pnpm simulate SEED COUNT` plays COUNT of
// them from SEED on and prints what was promised and not kept. Exit code 1 when there is any. `pnpm simulate limits SEED …` does the same
// with worlds of processes that share limits, `pnpm simulate dispatch SEED …` with worlds of workers that subgraphs are dispatched to. With `pipelined` at the end subgraphs are
// dispatched as soon as their inputs are there.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateDispatch } from "./dispatch/simulate-dispatch.ts";
import { simulateLimits } from "./limits/simulate-limits.ts";
import { simulate } from "./simulate.ts";

const words = process.argv.slice(2);
const semantics = words.at(-1) === "pipelined" ? "pipelined" : "atomic";
const given = words.filter((word) => word !== "pipelined");
const kind = given[0] === "limits" || given[0] === "dispatch" ? given[0] : "run";
const [first = 1, count = 1] = (kind === "run" ? given : given.slice(1)).map(Number);
if (!(Number.isInteger(first) && Number.isInteger(count) && count >= 1)) {
  process.stderr.write("Expected a seed, and how many to play from it on: pnpm simulate 1 100\n");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "planloom-simulation-"));
const ends = new Map<string, number>();
const sums = { seeds: 0, broken: 0, kills: 0, sessions: 0, calls: 0, steps: 0 };
const began = performance.now();

interface PrintedEvent {
  readonly atMs: number;
  readonly process: string;
  readonly type: string;
}

function printHistory(history: readonly PrintedEvent[]): void {
  for (const { atMs, process: name, type, ...rest } of history) {
    const details = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    process.stdout.write(
      `${atMs.toFixed(0).padStart(8)} ms  ${name.padEnd(12)} ${type.padEnd(13)} ${details.join(" ")}\n`,
    );
  }
}

async function playRun(seed: number, file: string) {
  const report = await simulate(seed, file, semantics);
  return { ...report, calls: 0, ends: new Map([[report.endReason, 1]]) };
}

async function playLimits(seed: number) {
  const report = await simulateLimits(seed);
  if (count === 1) process.stdout.write(`${JSON.stringify(report.scenario)}\n`);
  return { ...report, sessions: 0, ends: report.outcomes };
}

async function playDispatch(seed: number) {
  const report = await simulateDispatch(seed, semantics);
  return { ...report, sessions: 0, ends: new Map([[report.endReason, 1]]) };
}

const play = {
  run: (seed: number) => playRun(seed, join(folder, `${seed}.sqlite`)),
  limits: playLimits,
  dispatch: playDispatch,
} as const;

try {
  for (let seed = first; seed < first + count; seed++) {
    const { problems, history, kills, steps, ...counted } = await play[kind](seed);
    if (count === 1) printHistory(history);
    if (problems.length > 0) {
      sums.broken++;
      process.stdout.write(`seed ${seed}\n${problems.map((problem) => `  ${problem}\n`).join("")}`);
    }
    sums.seeds++;
    sums.kills += kills;
    sums.steps += steps;
    sums.sessions += counted.sessions;
    sums.calls += counted.calls;
    for (const [reason, times] of counted.ends) ends.set(reason, (ends.get(reason) ?? 0) + times);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const ended = [...ends].map(([reason, times]) => `${times} ${reason}`).join(", ");
process.stdout.write(
  `${sums.seeds} worlds (${ended}): ${sums.kills} kills, ` +
    `${kind === "run" ? `${sums.sessions} sessions` : `${sums.calls} calls`}, ${sums.steps} steps, ` +
    `${sums.broken} with broken promises; ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
);
process.exitCode = sums.broken > 0 ? 1 : 0;
