import type { IssueCode } from "../issue.ts";

/** The fields of a task that say what executes it. */
export interface PinnedTask {
  readonly tool_id: string | null;
  readonly function_id: string | null;
  readonly agent_id: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Where a task of a kind names its resource. */
export interface TaskPin {
  /** The field as messages and prompts name it: `tool_id`, `parameters.uid`. */
  readonly field: "tool_id" | "agent_id" | "parameters.uid";
  /** The id that a task names; undefined where it names none (an empty text is none). */
  read(task: PinnedTask): string | undefined;
}

/**
 * The facts about one execution kind that concern plans. Packages above have a record of their own for each
 * kind with what their layer needs (`subPlanners` of the planner, `callKinds` of the runtime). Code asks these records; the few places that compare a kind
 * by its name have a case of their own for models or tools, and any other kind is treated as the usual one there.
 */
export interface KindRecord {
  /** A resource of the kind in messages: `dsl workflow`. */
  readonly name: string;
  /** The same with its article: `a workflow`. */
  readonly withArticle: string;
  /** The same at the beginning of a message: `Workflow`. */
  readonly label: string;
  /** Whether lists for people name a resource by its id alone; the others have their kind before it: `agent analyst`. */
  readonly isNamedByIdAlone: boolean;
  readonly pin: TaskPin;
  /** The code that validation reports for an unknown resource. */
  readonly unknownCode: IssueCode;
  /** The names of the parameters that are read where the task is settled. Otherwise Stage 2 is shown all of them. */
  readonly parameters: readonly string[];
  /** Values of `parameters.sub_type` that mean the kind, where `execution_type` is open. */
  readonly subTypes: readonly string[];
  /** Spellings of `execution_type` that other systems have for the kind, in lower case. */
  readonly spellings: readonly string[];
  /** Whether ids are `server/tool`, so that the bare name and `server__tool` are read too. */
  readonly hasServers: boolean;
  /** Whether secrets are filled in for calls. They are not where a model would read them. */
  readonly takesSecrets: boolean;
  /** Whether a call may be made again without asking a person, also where its resource declares otherwise. */
  readonly repeatable: boolean;
}

/** Pins in `parameters.uid`, for kinds without a field of their own. */
export function pinnedByUid({ parameters }: Pick<PinnedTask, "parameters">): string | undefined {
  return textOf(parameters, "uid");
}

/** The text under a key of a record; undefined where it is absent, empty or not a text. */
export function textOf(record: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
