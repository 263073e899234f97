import {
  type Bind,
  type BindRequest,
  type OptionChecks,
  type Resource,
  type ResourceCatalogue,
  resourceCatalogue,
  resourcePin,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { checkTimeZone, planningTime } from "../planning-time.ts";
import { checkPromptCharacters } from "../prompt-size/fit-request.ts";
import { taskText } from "../prompts/describe-task.ts";
import { promptsWith } from "../prompts/planner-prompts.ts";
import { callHooks } from "../recorded-call.ts";
import { checkHistorySamples, readMaxAttempts, readTimeout } from "../stage1/planner-options.ts";
import { candidatesFor } from "./candidates-for.ts";
import { describeStep, stepSections } from "./describe-step.ts";
import { planStep } from "./plan-step.ts";
import { outputModuleOf, type StepPlannerOptions, stepPlannerChecks } from "./step-planner.ts";
import { type SubPlanner, subPlanners } from "./sub-planners.ts";

export interface BindWithOptions extends StepPlannerOptions {
  /** What can execute tasks; a function is called for each task, for resources that come and go. */
  readonly resources: readonly Resource[] | (() => readonly Resource[]);
}

const checks = {
  ...stepPlannerChecks,
  controller: { required: { method: "processPhase2", expected: "a BehaviorController" } },
  resources: { either: ["list", "function"] },
} as const satisfies OptionChecks<BindWithOptions>;

/**
 * Stage 2 as the function that a run is handed: routes each task by its kind to the fitting sub-planner's entry. A task whose
 * kind is open may be answered with any resource.
 *
 * @throws PlannerError CONFIG, OPTION; the function rejects with RESOURCES_EMPTY, RESOURCE_UNKNOWN, PROMPT_TOO_LARGE, NO_VALID_STEP or TIMEOUT.
 */
export function bindWith(options: BindWithOptions): Bind {
  const maxAttempts = readMaxAttempts(options);
  checkOptions("`bindWith`", options, checks);
  const nHistorySamples = checkHistorySamples(options.nHistorySamples);
  const maxPromptCharacters = checkPromptCharacters(options.maxPromptCharacters);
  const timeoutMs = readTimeout(options);
  checkTimeZone(options.timeZone);
  const prompts = promptsWith(options.prompts);
  const catalogueNow = catalogueSource(options.resources);
  return async ({ task, input }: BindRequest, { signal, beforeCall, onCall }) => {
    const catalogue = catalogueNow();
    const { kind, uid } = resourcePin(task);
    const candidates = candidatesFor(catalogue, kind, uid, task.task_id);
    const subPlanner: SubPlanner | undefined = kind === undefined ? undefined : subPlanners[kind];
    const outputModule = outputModuleOf(task);
    return planStep({
      controller: options.controller,
      catalogue,
      candidates,
      pinned: uid !== undefined,
      noun: subPlanner?.noun ?? "resource",
      describe: ({ resources, leftOut }) =>
        describeStep(subPlanner, prompts.resources(resources, leftOut), prompts.task(taskText(task)), input, prompts),
      sections:
        options.prompts?.resources === undefined
          ? stepSections(prompts.task(taskText(task)), input, prompts)
          : undefined,
      wanted: taskText(task),
      maxPromptCharacters,
      task,
      input,
      maxAttempts,
      timeoutMs,
      llmData: options.llmData ?? {},
      nHistorySamples,
      time: () => planningTime(options),
      prompts,
      signal,
      hooks: callHooks({ beforeCall, onCall }),
      ...(outputModule === undefined ? {} : { outputModule }),
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
      ...(options.newSearchId === undefined ? {} : { newSearchId: options.newSearchId }),
    });
  };
}

/** Builds a catalogue once per list, not once per task. */
function catalogueSource(resources: BindWithOptions["resources"]): () => ResourceCatalogue {
  let list: readonly Resource[] | undefined;
  let catalogue: ResourceCatalogue | undefined;
  return () => {
    const now = typeof resources === "function" ? resources() : resources;
    if (catalogue === undefined || now !== list) {
      list = now;
      catalogue = resourceCatalogue(now);
    }
    return catalogue;
  };
}
