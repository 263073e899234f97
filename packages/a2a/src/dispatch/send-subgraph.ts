import { createHash } from "node:crypto";
import { type Artifact, type Message, Role } from "@a2a-js/sdk";
import { PlannerTask, TaskData, type TaskResult } from "planloom";
import { isRecord } from "planloom/plan";
import type { DispatchContext, DispatchReply, DispatchRequest } from "planloom/runtime";
import { dataPart, messageText, outputOf, textPart } from "../client/parts.ts";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { replyArtifact, SubgraphResults, TaskReportMessage, taskArtifact } from "../subgraph-extension.ts";
import type { Station } from "./station.ts";

/** What of a dispatch is needed to send it. */
export type SentRequest = Pick<DispatchRequest, "run_id" | "subgraph_id" | "plan" | "input">;
export type SentContext = Pick<DispatchContext, "signal" | "onEvent" | "report">;

export const emptySubgraph: SentRequest = {
  run_id: "measurement",
  subgraph_id: "empty",
  plan: TaskData.parse({ task_id: "empty", planned_tasks: [] }),
  input: {},
};

const noUsage = { attempts: 0, input_tokens: 0, output_tokens: 0 };

/**
 * Sends a subgraph to an agent and brings back how its tasks ended; each is reported as soon as the agent says so.
 * @throws A2aError; the signal's reason once it is aborted
 */
export async function sendSubgraph(
  { agent, takesSubgraphs }: Pick<Station, "agent" | "takesSubgraphs">,
  request: SentRequest,
  { signal, report }: SentContext,
): Promise<DispatchReply> {
  await agent.refresh(signal);
  const open = new Set(
    request.plan.planned_tasks.filter(({ status }) => status !== "completed").map(({ task_id }) => task_id),
  );
  const reported = new Map<string, Promise<void>>();
  const onArtifact = (artifact: Artifact) => {
    const result = readReport(artifact, open);
    if (result === undefined || reported.has(result.task_id)) return;
    const kept = report({ result });
    // It is waited for below; until then a refusal is nobody's unhandled rejection.
    kept.catch(() => {});
    reported.set(result.task_id, kept);
  };
  const task = agent.newTask({ onArtifact });
  const following = { signal, progress() {} };
  try {
    const events = await agent.send(messageOf(request), task, following);
    await agent.follow(task, following, events);
  } catch (error) {
    if (signal.aborted && task.id !== "") await agent.cancel(task.id);
    throw error;
  } finally {
    await Promise.all(reported.values());
  }
  const results = readResults(task.artifact(replyArtifact));
  if (results !== undefined) {
    const rest = results.results.filter(({ task_id }) => open.has(task_id) && !reported.has(task_id));
    return { results: rest as unknown as TaskResult[], usage: results.usage };
  }
  if (task.standing === "completed" && !takesSubgraphs) {
    return { results: foreignResults(outputOf(task.parts), [...open]), usage: { ...noUsage, attempts: open.size } };
  }
  if (task.standing === "completed" && open.size === reported.size) return { results: [], usage: noUsage };
  if (task.standing === "input" || task.standing === "auth") await agent.cancel(task.id);
  const text = messageText(task.said) || "it gives no reason";
  const message = `Agent "${agent.name}" left subgraph ${request.subgraph_id} as ${task.standing}: ${text.slice(0, 2_000)}`;
  throw new A2aError(A2aErrorCode.FAILED, message, { details: { agent: agent.name, task_id: task.id, text } });
}

function messageOf({ run_id, subgraph_id: id, plan: whole, input }: SentRequest): Message {
  const open = whole.planned_tasks.filter(({ status }) => status !== "completed");
  const plan = { ...whole, planned_tasks: whole.planned_tasks.map(givenAlone) };
  const expects =
    "Carry out each task of `plan.planned_tasks` whose status is not completed, in the order of their dependencies; outputs of others are in `output`. " +
    "Answer with one data part: an object with the output of each such task under its `task_id`.";
  const words = open.map((task) => task.instructions ?? (task.description || (task.title ?? task.task_id)));
  return {
    // The same when it is sent again after a crash, so that an agent may know it again.
    messageId: createHash("sha256")
      .update(JSON.stringify([run_id, id, open.map(({ task_id }) => task_id)]))
      .digest("hex")
      .slice(0, 32),
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts: [
      ...(words.length === 0 ? [] : [textPart(words.map((each, at) => `${at + 1}. ${each}`).join("\n"))]),
      dataPart({ subgraph: { id, plan, input, expects } }),
    ],
    metadata: { planloom: { run_id } },
    extensions: [],
    referenceTaskIds: [],
  };
}

/** A completed task with its output alone: the agent may not have the resource that executed it. */
function givenAlone(task: PlannerTask): PlannerTask {
  if (task.status !== "completed") return task;
  const { task_id, output, result_variable } = task;
  return PlannerTask.parse({
    task_id,
    output,
    status: "completed",
    execution_type: "llm",
    ...(result_variable !== undefined && { result_variable }),
  });
}

function readReport({ artifactId, parts }: Artifact, open: ReadonlySet<string>): TaskResult | undefined {
  const [part] = parts;
  if (part?.content?.$case !== "data") return undefined;
  const message = TaskReportMessage.safeParse(part.content.value);
  if (!message.success || !open.has(message.data.task_id) || artifactId !== taskArtifact(message.data.task_id))
    return undefined;
  const { uid, output, ...rest } = message.data;
  return { ...rest, status: "completed", output: output ?? null, ...(uid !== undefined && { uid }) };
}

function readResults(artifact: Artifact | undefined) {
  const content = artifact?.parts[0]?.content;
  const read = SubgraphResults.safeParse(content?.$case === "data" ? content.value : undefined);
  return read.success ? read.data : undefined;
}

/** The one result of an agent that knows nothing of subgraphs: outputs by task id, or that of its only task. */
function foreignResults(output: unknown, open: readonly string[]): TaskResult[] {
  const byId = isRecord(output) && open.every((id) => Object.hasOwn(output, id)) ? output : undefined;
  return open.map((task_id) => {
    const common = { task_id, attempts: 1, started_ms: 0, duration_ms: 0 };
    if (byId !== undefined) return { ...common, status: "completed", output: byId[task_id] ?? null };
    if (open.length === 1) return { ...common, status: "completed", output };
    const message = `Expected the agent to answer with the output of each task, ${open.join(", ")}; it gave something else.`;
    return { ...common, status: "failed", error: { code: "TASK_DISPATCH", message, retryable: false } };
  });
}
