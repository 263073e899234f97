import { isRecord } from "../../json.ts";
import { kindRecord } from "../../kinds/kinds.ts";
import { type ExecutionType, PlannerTask } from "../../records/planner-task.ts";
import { formatPath } from "../../references/format-reference.ts";
import type { PathSegment } from "../../references/reference.ts";
import { describeValue } from "../dialect-error.ts";
import { invalidRecord, parseRecord } from "../parse-record.ts";
import { executionTypeSpellings, spelling, taskStatusSpellings } from "./vocabulary.ts";

/** Fields for which null means null; in all others null (Python's None) means the default. */
const nullable: ReadonlySet<string> = new Set([
  "tool_id",
  "function_id",
  "agent_id",
  "instructions",
  "convertor_code",
  "estimate_data",
  "output",
]);

/**
 * A task as the Agents Planning System's systems write it, in any of their spellings, as a `PlannerTask`. Types and statuses are settled;
 * in `*_call` tasks the parameters other than `sub_type` become arguments (a `uid` pins llm and dsl and stays). Keys that
 * no field has are dropped. An `estimate_data` that is not a record is kept as its `value`. `raw` is not mutated.
 * @param at path to the task, for messages.
 * @throws PlanError INVALID; `details.issues` lists `{path, message, expected, got}`.
 */
export function normaliseTask(raw: unknown, at: readonly PathSegment[] = []): PlannerTask {
  if (!isRecord(raw)) {
    const issue = { path: formatPath(at), message: "expected a task", expected: "object", got: describeValue(raw) };
    throw invalidRecord("a task", [issue]);
  }
  const fields = new Map(Object.entries(raw).filter(([key, value]) => value !== null || nullable.has(key)));
  const written = fields.get("execution_type") ?? "";
  const status = fields.get("status") ?? "";
  fields.set("execution_type", settle(executionTypeSpellings, written, [...at, { key: "execution_type" }]));
  fields.set("status", settle(taskStatusSpellings, status, [...at, { key: "status" }]));

  const parameters = fields.get("parameters");
  if (isRecord(parameters)) {
    const subType = Object.hasOwn(parameters, "sub_type") ? parameters.sub_type : undefined;
    const isLevelTwo = spelling(String(written)) === "l2_task";
    if (isLevelTwo && typeof subType === "string")
      fields.set("execution_type", executionTypeSpellings.get(spelling(subType)) ?? "");
    const values = fields.get("arguments") ?? {};
    if (spelling(String(written)).endsWith("_call") && isRecord(values)) {
      const kind = fields.get("execution_type") as ExecutionType;
      const pinned = kind !== "" && kindRecord(kind).pin.field === "parameters.uid";
      const stays = ([key]: [string, unknown]) => key === "sub_type" || (pinned && key === "uid");
      const entries = Object.entries(parameters);
      fields.set("parameters", Object.fromEntries(entries.filter(stays)));
      const moved = entries.filter((entry) => !stays(entry));
      fields.set("arguments", Object.fromEntries([...moved, ...Object.entries(values)]));
    }
  }
  const estimate = fields.get("estimate_data");
  if (estimate !== null && estimate !== undefined && !isRecord(estimate))
    fields.set("estimate_data", { value: estimate });
  const known = [...fields].filter(([key]) => Object.hasOwn(PlannerTask.shape, key));
  return parseRecord(PlannerTask, Object.fromEntries(known), "a task", at);
}

/** The settled word, or what was written, for the schema to refuse. */
export function settle<Word>(spellings: ReadonlyMap<string, Word>, written: unknown, at: readonly PathSegment[]): Word {
  const settled = typeof written === "string" ? spellings.get(spelling(written)) : undefined;
  if (settled !== undefined) return settled;
  const expected = [...spellings.keys()].filter((word) => word !== "").join(", ");
  const issue = { path: formatPath(at), message: `expected one of ${expected}`, expected, got: describeValue(written) };
  throw invalidRecord("a known word", [issue]);
}
