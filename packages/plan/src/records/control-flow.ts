import { z } from "zod";
import { TaskId } from "./task-id.ts";

/** Most elements that `for_each.max_items` may allow; each costs a place in the list of results. */
export const maxElements = 1_000_000;
/** Most elements of one `for_each` where `max_items` does not say. */
export const defaultMaxElements = 100_000;

/** What failures of elements do to the task: see `ForEach.on_failure`. */
export const ForEachFailure = z.union([
  z.enum(["all", "collect"]),
  z.strictObject({ first: z.number().int().min(1).max(maxElements) }),
]);
export type ForEachFailure = z.infer<typeof ForEachFailure>;

/** Names that mean something else where an element is named. */
export const takenItemNames: readonly string[] = ["index", "input"];
export const ItemName = z
  .string()
  .regex(/^[A-Za-z_]\w{0,63}$/, { message: "must be a word of letters, digits and _" })
  .refine((name) => !takenItemNames.includes(name), { message: "is taken" });

/** The fields of `ForEach` but `tasks`, which are tasks themselves. */
export const forEachFields = {
  /** The list: a reference to one (`${search.hits}`, `{"$ref": …}`), or a list that may hold references. */
  items: z.union([z.string().min(1), z.array(z.unknown()), z.strictObject({ $ref: z.string().min(1) })]),
  /** The name of the element in references. The place in the list is `index`, counted from 0. @default "item" */
  as: ItemName.optional(),
  /**
   * Most elements that are under way at once, those included that wait for another attempt or for an approval. The limits of the run hold,
   * too. @default the run's concurrency
   */
  concurrency: z.number().int().min(1).max(10_000).optional(),
  /**
   * `all`: every element must be completed; after the first failure no further one starts, and the task fails. `collect`: all are tried,
   * and the result has `failed_as` in the places of failed ones. `{"first": N}`: as `collect`, until N have failed; then as `all`.
   * An element that its condition or its deadline skips does not count as failed; one that was denied, or had no budget left, does.
   * @default "all"
   */
  on_failure: ForEachFailure.optional(),
  /** What is in the result for an element that failed or was skipped: `null`, or `{"error": {"code", "message"}}`. @default "null" */
  failed_as: z.enum(["null", "error"]).optional(),
  /** A longer list fails the task before any element starts. @default 100_000 */
  max_items: z.number().int().min(1).max(maxElements).optional(),
  /** The task of `tasks`, by id or result variable, whose output is the element's. @default the only task that no other depends on; of several, an object of theirs */
  result: z.string().min(1).max(128).optional(),
  /**
   * Outputs of elements that are not executed, by their place in the list: values, or references to tasks that were planned in their place
   * (`{"42": "${fetch_42}"}`). `splitElements` writes it. @default none
   */
  given: z
    .record(z.string().regex(/^(0|[1-9]\d{0,6})$/, { message: "must be the place of an element, from 0" }), z.unknown())
    .optional(),
  /**
   * Lists that this one was planned in the place of. What their elements completed counts as completed by this one's, where both do the same
   * with the same items. `splitElements` writes it. @default none
   */
  continues: z.array(TaskId).max(1_000).optional(),
};

/** When a task runs at all. */
export const When = z.strictObject({
  /**
   * A JSONata expression that must give `true` or `false`. References in it (`${fetch.total} > 10`) mean the values that they name,
   * as values and not as text. False: the task is skipped.
   */
  condition: z.string().min(1).max(10_000),
});
export type When = z.infer<typeof When>;

/**
 * Which of a task's dependencies must be completed. `all`: every one, else the task is skipped. `any`: once all have ended, at least one
 * completed. `none_failed`: once all have ended, none failed and none was skipped because of a failure; skipped branches do no harm.
 */
export const Join = z.enum(["all", "any", "none_failed"]);
export type Join = z.infer<typeof Join>;

/** What `choose` adds to the output beside one field for each branch. */
export const decisionFields: readonly string[] = ["chosen", "answer"];

export const BranchName = z
  .string()
  .regex(/^[A-Za-z_]\w{0,63}$/, { message: "must be a word of letters, digits and _" })
  .refine((name) => !decisionFields.includes(name) && !(name in Object.prototype), { message: "is taken" });

/** One branch of a decision. */
export const Branch = z.strictObject({
  /** Tasks of the branch have `"when": {"condition": "${task.name}"}`. */
  name: BranchName,
  /** Decides as `when.condition` does: the first branch whose condition is true is chosen. Absent where the task's resource decides. */
  condition: z.string().min(1).max(10_000).optional(),
  /** When this branch is the right one, for people and for a model that decides. */
  description: z.string().max(2_000).optional(),
});
export type Branch = z.infer<typeof Branch>;

/**
 * The task decides which of several branches the plan takes: by the conditions of the branches, or without any by what its resource (a
 * function, a model) answers. The output is `{"chosen": "refund", "refund": true, "review": false}`, with `answer` where a resource gave one.
 */
export const Choose = z
  .strictObject({
    /** In the order in which their conditions are asked. */
    branches: z.array(Branch).min(1).max(100),
    /** The branch that is taken where no other is. @default none: the task fails then */
    else: BranchName.optional(),
  })
  .superRefine(({ branches, else: otherwise }, context) => {
    const names = new Set<string>();
    const report = (message: string, path: (string | number)[]) => context.addIssue({ code: "custom", message, path });
    for (const [number, { name }] of branches.entries()) {
      if (names.has(name)) report(`is the name of an earlier branch, too`, ["branches", number, "name"]);
      names.add(name);
    }
    if (otherwise !== undefined && names.has(otherwise)) report("is the name of a branch of its own, too", ["else"]);
    const open = branches.findIndex(({ condition }) => condition === undefined);
    if (open !== -1 && branches.some(({ condition }) => condition !== undefined))
      report("is absent, and other branches have one; name the branch for everything else in `else`", [
        "branches",
        open,
        "condition",
      ]);
  });
export type Choose = z.infer<typeof Choose>;
