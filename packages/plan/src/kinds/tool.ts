import { IssueCode } from "../issue.ts";
import type { KindRecord } from "./kind-record.ts";

/** A function with an input, on this machine or on a server. */
export const tool = {
  name: "tool",
  withArticle: "a tool",
  label: "Tool",
  isNamedByIdAlone: true,
  pin: { field: "tool_id", read: ({ tool_id, function_id }) => tool_id || function_id || undefined },
  unknownCode: IssueCode.UNKNOWN_TOOL,
  parameters: ["uid", "sub_type", "output_module"],
  subTypes: ["tool", "tools", "function"],
  spellings: [
    ...["tool", "tools", "tool_call"],
    ...["function", "functions", "function_call"],
    ...["codegen_call", "system_call"],
  ],
  hasServers: true,
  takesSecrets: true,
  repeatable: false,
} as const satisfies KindRecord;
