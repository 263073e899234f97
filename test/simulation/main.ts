// Plays simulated worlds by hand: `pnpm simulate SEED` prints the history of one; `pnpm simulate SEED COUNT` plays COUNT of
// them from SEED on and prints what was promised and not kept. Exit code 1 when there is any.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SimulationReport, simulate } from "./simulate.ts";

const [first = 1, count = 1] = process.argv.slice(2).map(Number);
if (!(Number.isInteger(first) && Number.isInteger(count) && count >= 1)) {
  process.stderr.write("Expected a seed, and how many to play from it on: pnpm simulate 1 100\n");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "planloom-simulation-"));
const ends = new Map<string, number>();
const sums = { seeds: 0, broken: 0, kills: 0, sessions: 0, steps: 0 };
const began = performance.now();

function printHistory({ history }: SimulationReport): void {
  for (const { atMs, process: name, type, ...rest } of history) {
    const details = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    process.stdout.write(
      `${atMs.toFixed(0).padStart(8)} ms  ${name.padEnd(12)} ${type.padEnd(13)} ${details.join(" ")}\n`,
    );
  }
}

try {
  for (let seed = first; seed < first + count; seed++) {
    const report = await simulate(seed, join(folder, `${seed}.sqlite`));
    if (count === 1) printHistory(report);
    if (report.problems.length > 0) {
      sums.broken++;
      process.stdout.write(`seed ${seed}\n${report.problems.map((problem) => `  ${problem}\n`).join("")}`);
    }
    sums.seeds++;
    sums.kills += report.kills;
    sums.sessions += report.sessions;
    sums.steps += report.steps;
    ends.set(report.endReason, (ends.get(report.endReason) ?? 0) + 1);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const ended = [...ends].map(([reason, times]) => `${times} ${reason}`).join(", ");
process.stdout.write(
  `${sums.seeds} worlds (${ended}): ${sums.kills} kills, ${sums.sessions} sessions, ${sums.steps} steps, ` +
    `${sums.broken} with broken promises; ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
);
process.exitCode = sums.broken > 0 ? 1 : 0;
