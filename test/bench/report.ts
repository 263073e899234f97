import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

/** On what and with what a bench ran. */
export interface Surroundings {
  readonly date: string;
  readonly node: string;
  readonly v8: string;
  readonly planloom: string;
  readonly commit: string;
  readonly machine: string;
  /** Load of the last minute when the bench began. */
  readonly load: number;
}

export function surroundings(): Surroundings {
  const manifest = JSON.parse(readFileSync(new URL("../../packages/runtime/package.json", import.meta.url), "utf8"));
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    v8: process.versions.v8,
    planloom: String(manifest.version),
    commit: commit(),
    machine: `${availableParallelism()} × ${cpus()[0]?.model.trim() || "unknown processor"}, ${memory} GB, ${process.platform}`,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

export function surroundingsText(at: Surroundings): string {
  return `${at.date}, Planloom ${at.planloom} (${at.commit}), Node ${at.node}, V8 ${at.v8}, ${at.machine}, load ${at.load} when it began.`;
}

/** A Markdown table; columns with numbers stand right. */
export function markdownTable(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const isNumber = (name: string) => rows.some((row) => typeof row[name] === "number");
  const rule = names.map((name) => (isNumber(name) ? "---:" : "---"));
  const line = (cells: readonly (string | number | undefined)[]) => `| ${cells.join(" | ")} |`;
  return [line(names), line(rule), ...rows.map((row) => line(names.map((name) => row[name])))].join("\n");
}
