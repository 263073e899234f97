import type { Outcome, Status } from "./run-cases.ts";

type Counts = Record<Status, number>;

const statuses: readonly Status[] = ["passed", "decided", "failed", "skipped"];

/** The last line is `N passed, N failed, N skipped`, alone. */
export function textReport(outcomes: readonly Outcome[], { verbose = false } = {}): string {
  const lines: string[] = [];
  for (const [feature, group] of byFeature(outcomes)) {
    lines.push(`${feature.padEnd(28)} ${countsText(count(group))}`);
    for (const outcome of group) lines.push(...details(outcome, verbose));
  }
  const total = count(outcomes);
  const matches = outcomes.filter((outcome) => outcome.case.stance === "match");
  lines.push("");
  for (const seed of [...new Set(outcomes.map((outcome) => outcome.case.seed))].sort()) {
    const own = count(matches.filter((outcome) => outcome.case.seed === seed));
    lines.push(`seed ${seed}, cases to match: ${own.passed} passed, ${own.failed} failed, ${own.skipped} skipped`);
  }
  if (total.decided > 0) lines.push(`${total.decided} differ by decision (not counted below)`);
  lines.push(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return lines.join("\n");
}

export function jsonReport(outcomes: readonly Outcome[]): string {
  const features = [...byFeature(outcomes)].map(([feature, group]) => ({ feature, ...count(group) }));
  const cases = outcomes.map(({ case: { id, seed, feature, stance, expected }, status, answer, reason }) => ({
    id,
    seed,
    feature,
    stance,
    status,
    ...(status === "failed" || status === "decided" ? { expected } : {}),
    ...(status !== "skipped" && (status !== "passed" || stance !== "match") ? { answer: plain(answer) } : {}),
    ...(reason === undefined ? {} : { reason }),
  }));
  return JSON.stringify({ ...count(outcomes), features, cases }, undefined, 2);
}

function byFeature(outcomes: readonly Outcome[]): Map<string, Outcome[]> {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = `${outcome.case.seed} ${outcome.case.feature}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [outcome]);
    else group.push(outcome);
  }
  return groups;
}

function count(outcomes: readonly Outcome[]): Counts {
  const counts: Counts = { passed: 0, decided: 0, failed: 0, skipped: 0 };
  for (const { status } of outcomes) counts[status]++;
  return counts;
}

function countsText(counts: Counts): string {
  return statuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`)
    .join(", ");
}

function details({ case: each, status, answer, mismatches, reason }: Outcome, verbose: boolean): string[] {
  if (status === "failed") {
    const where = (mismatches ?? []).flatMap(({ at, expected, actual }) => [
      `      at ${at === "" ? "the whole" : at}`,
      `        expected ${text(expected)}`,
      `        answered ${text(actual)}`,
    ]);
    return [
      `    failed ${each.id} (${each.stance})`,
      ...where,
      ...(verbose ? [`      input ${text(each.input)}`] : []),
    ];
  }
  if (status === "decided") return [`    ${each.id} (${each.stance}), ${reason}: ${text(answer)}`];
  if (status === "passed" && each.stance !== "match") {
    return [`    ${each.id} (${each.stance}), as expected: ${text(answer)}`];
  }
  if (status === "skipped") return verbose ? [`    skipped ${each.id}: ${reason}`] : [];
  return [];
}

function text(value: unknown): string {
  const json = JSON.stringify(plain(value)) ?? "undefined";
  return json.length <= 600 ? json : `${json.slice(0, 599)}…`;
}

/** Errors have no enumerable fields, so JSON would show `{}`. */
function plain(value: unknown): unknown {
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  }
  return value;
}
