import { readOutput } from "@planloom/controller";
import { IssueCode, isRecord, type PlanIssue } from "@planloom/plan";
import { unwrapReply } from "../stage1/unwrap-reply.ts";

/** What a controller answered to a phase-2 request, before it is checked. */
export interface StepAnswer {
  readonly uid: string;
  /** Absent when the controller named only the resource. */
  readonly input?: Record<string, unknown>;
  readonly plan?: string;
}

export type StepReading =
  | { readonly step: StepAnswer }
  | { readonly step?: undefined; readonly issues: readonly PlanIssue[] };

const uidKeys = ["uid", "id", "tool_id", "function_id", "agent_id", "subject_id", "tool", "name"] as const;
const inputKeys = ["input_data", "input", "arguments", "args", "params", "parameters"] as const;

/** Reads `{uid, input_data, plan?}`, bare, in an envelope or as JSON text; other spellings of the keys too. Never throws. */
export function readStepReply(data: unknown): StepReading {
  const unwrapped = unwrapReply(data);
  if ("refusal" in unwrapped) return unreadable(unwrapped.refusal);
  const payload = typeof unwrapped.payload === "string" ? readRecord(unwrapped.payload) : unwrapped.payload;
  if (!isRecord(payload)) {
    return unreadable(`Expected {uid, input_data}, got ${Array.isArray(payload) ? "a list" : typeof payload}.`);
  }
  const uid = firstOf(payload, uidKeys);
  if (typeof uid !== "string" || uid.trim() === "") {
    return unreadable("Expected `uid` to be the id of a resource; the answer has none.", "uid");
  }
  const given = firstOf(payload, inputKeys);
  const input = typeof given === "string" ? readRecord(given) : given;
  if (input !== undefined && input !== null && !isRecord(input)) {
    return unreadable(
      `Expected \`input_data\` to be an object, got ${Array.isArray(input) ? "a list" : typeof input}.`,
      "input_data",
    );
  }
  const plan = reasoning(payload.plan);
  return {
    step: {
      uid: uid.trim(),
      ...(isRecord(input) ? { input } : {}),
      ...(plan === undefined ? {} : { plan }),
    },
  };
}

function firstOf(record: Record<string, unknown>, keys: readonly string[]): unknown {
  const key = keys.find((key) => Object.hasOwn(record, key) && record[key] !== undefined && record[key] !== null);
  return key === undefined ? undefined : record[key];
}

function readRecord(text: string): unknown {
  const output = readOutput(text);
  return output.found ? output.value : text;
}

function reasoning(plan: unknown): string | undefined {
  if (plan === undefined || plan === null || plan === "") return undefined;
  return typeof plan === "string" ? plan : JSON.stringify(plan);
}

function unreadable(message: string, path?: string): StepReading {
  return {
    issues: [
      {
        code: IssueCode.UNREADABLE,
        severity: "error",
        message,
        ...(path === undefined ? {} : { argument_path: path }),
      },
    ],
  };
}
