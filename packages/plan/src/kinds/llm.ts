import { IssueCode } from "../issue.ts";
import { type KindRecord, pinnedByUid } from "./kind-record.ts";

/** A language model that is asked once. */
export const llm = {
  name: "llm",
  withArticle: "a model",
  label: "LLM",
  isNamedByIdAlone: false,
  pin: { field: "parameters.uid", read: pinnedByUid },
  unknownCode: IssueCode.UNKNOWN_LLM,
  parameters: ["uid", "sub_type", "output_module", "model", "temperature", "max_tokens"],
  subTypes: ["llm"],
  spellings: ["llm", "llms", "llm_call"],
  hasServers: false,
  takesSecrets: false,
  repeatable: true,
} as const satisfies KindRecord;
