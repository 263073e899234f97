import { IssueCode } from "../issue.ts";
import type { KindRecord } from "./kind-record.ts";

/** An agent works on a whole task by itself, with a model or without. */
export const agent = {
  name: "agent",
  withArticle: "an agent",
  label: "Agent",
  isNamedByIdAlone: false,
  pin: { field: "agent_id", read: ({ agent_id }) => agent_id || undefined },
  unknownCode: IssueCode.UNKNOWN_AGENT,
  parameters: ["uid", "sub_type", "output_module"],
  subTypes: ["agent"],
  spellings: ["agent", "agents", "agent_call"],
  hasServers: false,
  takesSecrets: false,
  repeatable: false,
} as const satisfies KindRecord;
