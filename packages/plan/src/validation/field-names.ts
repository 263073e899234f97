import { nearestNames } from "./nearest-names.ts";

/** What a field that nothing reads would have protected, by its name. */
export type ProtectiveKind = "gate" | "limit" | "dependency" | "condition" | "input";

/** Fields of ours that protect: leaving out what was meant by one of these changes what may happen. */
const protectiveFields: ReadonlyMap<string, ProtectiveKind> = new Map([
  ["approval", "gate"],
  ["retry", "limit"],
  ["timeout_ms", "limit"],
  ["on_failure", "limit"],
  ["dependencies", "dependency"],
  ["when", "condition"],
  ["choose", "condition"],
  ["join", "condition"],
  ["wait", "condition"],
  ["for_each", "condition"],
  ["retry_until", "condition"],
  ["arguments", "input"],
]);

/** Whole words of names, in lower case, by what they are about in other systems. */
const protectiveWords: readonly (readonly [ProtectiveKind, RegExp])[] = [
  [
    "gate",
    /^(?:approv\w*|aprov\w*|confirm\w*|gates?|guards?|review\w*|permissions?|permit\w*|human|hitl|interrupt\w*|consent|authori[sz]\w*)$/,
  ],
  ["gate", /^(?:if|when|unless|only|condition\w*|precondition\w*)$/],
  [
    "limit",
    /^(?:limits?|max\w*|timeouts?|deadlines?|expires?|ttl|budgets?|retry|retries|attempts?|quota|cap|caps|rate|concurrency|throttle)$/,
  ],
  [
    "dependency",
    /^(?:depend\w*|deps?|needs?|after|requires?|prerequisites?|upstream|downstream|predecessors?|successors?|parents?|child|children|edges|waits?|follows|precedes)$/,
  ],
];

/** What other systems call our fields. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["id", "task_id"],
  ["tool", "tool_id"],
  ["toolname", "tool_id"],
  ["tool_name", "tool_id"],
  ["agent", "agent_id"],
  ["args", "arguments"],
  ["params", "arguments"],
  ["input", "arguments"],
  ["inputs", "arguments"],
  ["type", "execution_type"],
  ["kind", "execution_type"],
  ["depends_on", "dependencies"],
  ["dependson", "dependencies"],
  ["needs", "dependencies"],
  ["after", "dependencies"],
  ["requires", "dependencies"],
  ["timeout", "timeout_ms"],
  ["timeoutms", "timeout_ms"],
  ["timeout_seconds", "timeout_ms"],
  ["retries", "retry"],
  ["max_retries", "retry"],
  ["maxretries", "retry"],
  ["max_attempts", "retry"],
  ["requires_approval", "approval"],
  ["needs_approval", "approval"],
  ["confirm", "approval"],
  ["foreach", "for_each"],
  ["each", "for_each"],
  ["map", "for_each"],
  ["loop", "for_each"],
  ["with_items", "for_each"],
  ["if", "when"],
  ["condition", "when"],
  ["only_if", "when"],
  ["run_if", "when"],
  ["switch", "choose"],
  ["branch", "choose"],
  ["branches", "choose"],
  ["choice", "choose"],
  ["trigger_rule", "join"],
]);

/** The field of a task that is likely meant by an unknown one. @param kind the task's `execution_type` as written, for `uid`. */
export function meantTaskField(name: string, fields: Iterable<string>, kind: unknown): string | undefined {
  const plain = name.toLowerCase();
  if (plain === "uid") return pinField(typeof kind === "string" ? kind : "");
  const known = synonyms.get(plain) ?? synonyms.get(snakeCase(name));
  return known ?? nearField(name, fields);
}

export function meantPlanField(name: string, fields: Iterable<string>): string | undefined {
  return name === "tasks" ? "planned_tasks" : nearField(name, fields);
}

/** From here on a field is taken for a misspelt one of ours: `rationale` is not a `creation_time`. */
const leastLikeness = 0.65;

function nearField(name: string, fields: Iterable<string>): string | undefined {
  const { likely, score } = nearestNames(name, fields);
  return score >= leastLikeness ? likely : undefined;
}

/** What an unknown field would have protected: by a word of its name, or by the field that is meant. */
export function protectiveKind(name: string, meant: string | undefined): ProtectiveKind | undefined {
  const words = snakeCase(name).split("_");
  const byWord = protectiveWords.find(([, pattern]) => words.some((word) => pattern.test(word)))?.[0];
  return byWord ?? (meant === undefined ? undefined : protectiveFields.get(meant));
}

/** `dependsOn`, `depends-on` and `Depends On` are `depends_on`. */
function snakeCase(name: string): string {
  return name
    .slice(0, 100)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
}

/** Where a task of that kind, in any spelling, says which resource it is for. */
function pinField(kind: string): string {
  return kind.startsWith("tool") ? "tool_id" : kind.startsWith("agent") ? "agent_id" : "parameters.uid";
}
