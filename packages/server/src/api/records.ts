import type { PlanIssue, Resource, TaskData } from "planloom";
import { executionKinds, type PlanDiff, type PlanPatch, type RecordName } from "planloom/plan";
import { z } from "zod";

/** A record of the library in an answer: typed here, and in the document by the library's own schema. */
function record<Value>(name: RecordName): z.ZodType<Value, Value> {
  return z.unknown().meta({ $ref: `#/components/schemas/${name}` }) as unknown as z.ZodType<Value, Value>;
}

/** An object whose fields are the library's, described in words. */
function described<Value>(description: string): z.ZodType<Value, Value> {
  return z.unknown().meta({ type: "object", description }) as unknown as z.ZodType<Value, Value>;
}

/** Names of their own, so that declarations say the name and not all that is in it. */
export interface PlanData extends TaskData {}
export interface PatchData extends PlanPatch {}
export interface DiffData extends PlanDiff {}

export const PlanRecord = record<PlanData>("TaskData");
export const ResourceRecord = record<Resource>("Resource");
export const IssueRecord = record<PlanIssue>("PlanIssue");
export const PatchRecord = record<PatchData>("PlanPatch");
export const DiffRecord = described<DiffData>("Tasks that were added, removed and changed.");

/** A plan in a request: what it says is judged by the validation of plans, whose issues say more than a schema could. */
export const PlanInput = z
  .record(z.string(), z.unknown())
  .meta({ $ref: "#/components/schemas/TaskData" }) as unknown as z.ZodType<
  Readonly<Record<string, unknown>>,
  Readonly<Record<string, unknown>>
>;

export const AnyObject = z.record(z.string(), z.unknown());
export const KindName = z.enum(executionKinds);
/** ISO 8601, UTC. */
export const Time = z.string();

export const TaskFault = z.looseObject({ code: z.string(), message: z.string() });

/** How a page of a list is asked for. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(1_000).default(50).describe("How many at most."),
  cursor: z.string().max(1_000).optional().describe("`next_cursor` of the page before."),
};

/** A time as a filter takes it: what is wrong with it is said under the name that the request has for it. */
export const timeFilter = z
  .string()
  .max(100)
  .refine((text) => !Number.isNaN(Date.parse(text)), "a time in ISO 8601")
  .optional();

export const timeQuery = (what: string) => ({
  created_after: timeFilter.describe(`${what} at that time or later, ISO 8601.`),
  created_before: timeFilter.describe(`${what} before that time, ISO 8601.`),
});

export const NextCursor = z.string().optional().describe("Present where there are more.");
