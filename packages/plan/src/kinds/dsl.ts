import { IssueCode } from "../issue.ts";
import { type KindRecord, pinnedByUid } from "./kind-record.ts";

/** A workflow: a plan that is run as one task of another. */
export const dsl = {
  name: "dsl workflow",
  withArticle: "a workflow",
  label: "Workflow",
  isNamedByIdAlone: false,
  pin: { field: "parameters.uid", read: pinnedByUid },
  unknownCode: IssueCode.UNKNOWN_DSL,
  parameters: ["uid", "sub_type", "output_module"],
  subTypes: ["dsl"],
  spellings: ["dsl", "dsl_workflow", "l2_call"],
  hasServers: false,
  takesSecrets: false,
  repeatable: false,
} as const satisfies KindRecord;
