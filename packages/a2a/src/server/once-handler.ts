import { type Message, type SendMessageRequest, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { DefaultRequestHandler, type ServerCallContext } from "@a2a-js/sdk/server";
import { BoundedMap } from "./bounded-map.ts";

/** A message that came before is not carried out again: the task that was made of it answers. */
export class OnceHandler extends DefaultRequestHandler {
  readonly #tasks = new BoundedMap<string, string>(10_000);

  override async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    const known = this.#known(params);
    if (known !== undefined) return this.getTask({ tenant: "", id: known }, context);
    const result = await super.sendMessage(params, context);
    if (!("messageId" in result)) this.#keep(params, result.id);
    return result;
  }

  override async *sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const known = this.#known(params);
    if (known !== undefined) {
      const task = await this.getTask({ tenant: "", id: known }, context);
      const isOpen =
        task.status?.state === TaskState.TASK_STATE_WORKING || task.status?.state === TaskState.TASK_STATE_SUBMITTED;
      if (isOpen) yield* this.resubscribe({ tenant: "", id: known }, context);
      else yield { payload: { $case: "task", value: task } };
      return;
    }
    const events = super.sendMessageStream(params, context);
    let hasEnded = false;
    try {
      for (;;) {
        const { done, value } = await events.next();
        hasEnded = done === true;
        if (done === true) return;
        if (value.payload?.$case === "task") this.#keep(params, value.payload.value.id);
        yield value;
      }
    } finally {
      // The task is kept and pushed as the stream is read, so it is read to its end also when the client has hung up.
      if (!hasEnded) void drain(events);
    }
  }

  #known({ message }: SendMessageRequest): string | undefined {
    return message === undefined || message.messageId === "" ? undefined : this.#tasks.get(message.messageId);
  }

  #keep({ message }: SendMessageRequest, taskId: string): void {
    if (message !== undefined && message.messageId !== "") this.#tasks.set(message.messageId, taskId);
  }
}

async function drain(events: AsyncGenerator<unknown, void, undefined>): Promise<void> {
  try {
    for await (const _ of events);
  } catch {
    // The task says how it failed; nobody reads the stream any more.
  }
}
