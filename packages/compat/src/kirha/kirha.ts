import { dialects } from "@planloom/plan";
import {
  formatKirhaPath,
  parseKirhaPath,
  parseKirhaReply,
  parseKirhaSteps,
  parseKirhaTemplate,
} from "@planloom/plan/internals";
import { readKirhaPath } from "./read-path.ts";
import { kirhaReferenceKind, resolveKirhaValue, traverseKirhaReferences } from "./references.ts";
import { writeKirhaResults } from "./results.ts";
import { kirhaTools } from "./tools.ts";
import { validateKirhaPlan } from "./validate.ts";

/** The kirha planner's dialect, and what its package did with plans, steps and references. */
export const kirha = {
  ...dialects.kirha,
  /** The think block and the steps of a model's reply. */
  parseReply: parseKirhaReply,
  /** Steps from text, with ids and parsed references (`parsePlanSteps`). */
  parseSteps: parseKirhaSteps,
  /** Whether a plan fits its tools, with all faults (`isValidPlan`). */
  validate: validateKirhaPlan,
  /** The results of a run as its steps' results (`plan.execute`). */
  writeResults: writeKirhaResults,
  /** Its tools as `defineTool` takes them. */
  tools: kirhaTools,
  parseTemplate: parseKirhaTemplate,
  parsePath: parseKirhaPath,
  formatPath: formatKirhaPath,
  readPath: readKirhaPath,
  referenceKind: kirhaReferenceKind,
  traverseReferences: traverseKirhaReferences,
  resolveValue: resolveKirhaValue,
};
