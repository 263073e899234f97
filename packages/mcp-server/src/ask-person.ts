import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { PlanQuestion, WaitingCall } from "planloom";
import { planTitle, repeatText } from "planloom/plan";
import type { Outcome } from "./outcome.ts";
import type { RoundStates } from "./rounds.ts";

/** Under this name a person's answer comes back. */
export const answerKey = "answer";
const maxInputText = 4_000;

/** Whether the client can put a form before a person. */
export function canAskPerson({ mcpReq }: ServerContext, declared: unknown): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? declared;
  const elicitation = (capabilities as { elicitation?: { form?: unknown; url?: unknown } } | undefined)?.elicitation;
  // A client that says no more than `elicitation: {}` means forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The form for what an outcome lacks; undefined where it lacks nothing that a form can ask for. */
export async function formFor(
  { plan, questions, approvals }: Outcome,
  states: RoundStates,
  context: ServerContext,
): Promise<InputRequiredResult | undefined> {
  const [call] = approvals?.calls ?? [];
  if (approvals !== undefined && call !== undefined) {
    const round = {
      kind: "approval",
      runId: approvals.runId,
      callId: call.id,
      contentHash: call.content_hash,
    } as const;
    return inputRequired({
      inputRequests: { [answerKey]: approvalRequest(call, approvals.runId) },
      requestState: await states.mint(round, context),
    });
  }
  // What holds a credential must never be typed into a form.
  if (plan === undefined || questions === undefined || questions.some(({ secret }) => secret === true))
    return undefined;
  return inputRequired({
    inputRequests: {
      [answerKey]: inputRequired.elicit({
        message: `The plan "${planTitle(plan)}" lacks ${questions.length === 1 ? "an argument" : `${questions.length} arguments`}.`,
        requestedSchema: argumentForm(questions) as never,
      }),
    },
    requestState: await states.mint({ kind: "arguments", planId: plan.task_id }, context),
  });
}

const approvalForm = {
  type: "object" as const,
  properties: {
    approve: { type: "boolean" as const, title: "Approve", description: "Whether the call may be made." },
    note: { type: "string" as const, title: "Note", description: "Kept with the answer." },
  },
  required: ["approve"],
};

/** The form in which a person sees a call, or where it can be read whole, and says whether it may be made. */
export const approvalRequest = (call: WaitingCall, runId: string) =>
  inputRequired.elicit({ message: approvalText(call, runId), requestedSchema: approvalForm });

export interface PersonsApproval {
  readonly approve: boolean;
  readonly note?: string | undefined;
  /** Who answered, as it is kept with the run. */
  readonly by: string;
}

/** What a person answered to `approvalRequest`; undefined for a form that was closed, which decides nothing. */
export function readApproval(
  responses: Readonly<Record<string, unknown>> | undefined,
  key: string,
): PersonsApproval | undefined {
  const response = inputResponse(responses, key);
  if (response.kind !== "elicit" || response.action !== "accept") return undefined;
  const { approve, note } = response.content ?? {};
  const by = "a person, asked by the MCP client";
  return { approve: approve === true, note: typeof note === "string" ? note : undefined, by };
}

function approvalText({ id, uid, input, parameters, retry_until, begun_at }: WaitingCall, runId: string): string {
  const beside = parameters === undefined ? "" : `\nIts parameters:\n${JSON.stringify(parameters, null, 2)}`;
  const text = JSON.stringify(input ?? {}, null, 2) + beside;
  const left = text.length - maxInputText;
  const shown =
    left <= 0
      ? text
      : `${text.slice(0, maxInputText)}…\n${left} of ${text.length} characters are left out here. The whole is in what plan_status of the run ${runId} says of "${id}" (waiting), and in: planloom show ${runId} --json`;
  const doubt =
    begun_at === undefined ? "" : `\nIt was begun at ${begun_at}, and it is unknown whether it was carried out.`;
  const again = retry_until === undefined ? "" : `\nThe call is ${repeatText(retry_until)}.`;
  return `May ${uid ?? id} be called with this?\n${shown}${again}${doubt}`;
}

/** Forms know texts, numbers, yes or no, and one of several texts; anything else is asked for as a text, which is read by the argument's type. */
function argumentForm(questions: readonly PlanQuestion[]) {
  const properties = questions.map(({ name, type, description, choices, suggestions }) => {
    const first = suggestions?.[0];
    const about = {
      title: name,
      description: [description, isPlain(type) ? "" : `(${type}, as JSON)`].filter((each) => each !== "").join(" "),
    };
    if (choices?.every((each) => typeof each === "string") === true)
      return [name, { ...about, type: "string", enum: choices }] as const;
    if (type === "boolean") return [name, { ...about, type }] as const;
    if (type === "number" || type === "integer")
      return [name, { ...about, type, ...(typeof first === "number" && { default: first }) }] as const;
    return [name, { ...about, type: "string", ...(typeof first === "string" && { default: first }) }] as const;
  });
  return { type: "object", properties: Object.fromEntries(properties), required: questions.map(({ name }) => name) };
}

const isPlain = (type: string) => ["string", "number", "integer", "boolean"].includes(type);
