import { type McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import { canAskPerson } from "../ask-person.ts";
import type { PlanCalls } from "../plan-calls.ts";
import { expectTasks, TaskParams } from "./protocol.ts";

/** `tasks/get`, `tasks/update` and `tasks/cancel` of a server. Without notifications of a task's state, which the extension leaves open: clients poll. */
export function registerTaskMethods({ server }: McpServer, calls: PlanCalls): void {
  const method = (name: string, answer: (taskId: string, context: ServerContext) => Promise<object | undefined>) =>
    server.setRequestHandler(name, { params: TaskParams }, async ({ taskId }, context) => {
      expectTasks(context);
      const answered = await answer(taskId, context).catch((error: unknown) => {
        const { code, message } = calls.refusal(error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, message, { code });
      });
      if (answered !== undefined) return { ...answered };
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${JSON.stringify(taskId)}.`, {
        code: "RUNTIME_RUN_NOT_FOUND",
      });
    });
  method("tasks/get", (taskId, context) => calls.tasks.get(taskId, { canAsk: canAskPerson(context, undefined) }));
  method("tasks/update", async (taskId, context) => {
    // A client that can ask nobody has no answers of a person.
    const responses = canAskPerson(context, undefined) ? (context.mcpReq.inputResponses ?? {}) : {};
    return (await calls.tasks.update(taskId, responses)) ? {} : undefined;
  });
  method("tasks/cancel", async (taskId) => ((await calls.tasks.cancel(taskId)) ? {} : undefined));
}
