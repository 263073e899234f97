import type { Resource } from "../ports/resource.ts";
import type { ChooseOptions, EachOptions, TaskOptions, WaitOptions } from "./task-options.ts";

/** The tasks of the plan, or those of one element of a list, in the order in which they were made. */
export interface DraftScope {
  /** The list whose elements have these tasks; absent for the tasks of the plan. */
  readonly list: DraftTask | undefined;
  readonly around: DraftScope | undefined;
  readonly tasks: DraftTask[];
}

/** A task in the making. It gets its id when the whole plan is known. */
export interface DraftTask {
  readonly scope: DraftScope;
  readonly work: DraftCall | DraftDecision | DraftWait | DraftList;
}

export interface DraftCall {
  readonly kind: "call";
  readonly resource: Resource;
  readonly input: unknown;
  readonly options: TaskOptions;
  /** The branches that the answer decides between, each with when it is the right one. */
  readonly decides?: { readonly branches: Readonly<Record<string, string>>; readonly else?: string | undefined };
}

export interface DraftDecision {
  readonly kind: "choose";
  /** Conditions by the names of their branches. */
  readonly branches: Readonly<Record<string, unknown>>;
  readonly options: ChooseOptions;
}

export interface DraftWait {
  readonly kind: "wait";
  readonly wait: Readonly<Record<string, unknown>>;
  readonly options: WaitOptions;
}

export interface DraftList {
  readonly kind: "list";
  readonly items: unknown;
  readonly options: EachOptions;
  /** Set once the function that makes them has returned. */
  elements?: { readonly scope: DraftScope; readonly result: DraftTask };
}
