import { type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
import {
  type PushNotificationSender,
  type ServerCallContext,
  type StoredPushNotificationConfig,
  V1PushNotificationSerializer,
} from "@a2a-js/sdk/server";
import { pause } from "../client/pause.ts";
import type { PushConfigs } from "./push-configs.ts";
import { ForbiddenAddress, type PushRule, post } from "./push-target.ts";

/** One request, in milliseconds. */
const requestMs = 5_000;
/** How long is waited before each further attempt, in milliseconds. */
const pausesMs = [500, 2_000];
/** How many pushes of one configuration may wait; more are dropped, and the client finds out when it looks. */
const maxWaiting = 1_000;
/** How many requests of all configurations are under way at once. */
const maxAtOnce = 32;

interface Line {
  readonly waiting: { readonly event: StreamResponse; readonly task: Task | undefined }[];
}

/** The configuration as it is now. */
type FindConfig = () => Promise<StoredPushNotificationConfig | undefined>;

/**
 * Pushes what happens in tasks to where clients want it, to each in order and one at a time. A push that fails is sent again, twice at most; a configuration whose
 * receiver refuses the push (3xx and 4xx), or whose name leads into a closed network, is dropped. Of several reports of progress that wait, only the last is sent.
 * What waits goes to where the configuration says when its turn comes, and nowhere once that was deleted.
 */
export class PushSender implements PushNotificationSender {
  readonly #configs: PushConfigs;
  readonly #rule: PushRule;
  readonly #serializers = { "0.3": new V03PushNotificationSerializer(), "1.0": new V1PushNotificationSerializer() };
  readonly #lines = new Map<string, Line>();
  readonly #ready: (() => void)[] = [];
  readonly #signal: AbortSignal;
  #atOnce = 0;

  constructor(configs: PushConfigs, rule: PushRule, signal: AbortSignal) {
    this.#configs = configs;
    this.#rule = rule;
    this.#signal = signal;
  }

  /** Resolves when the push waits to be sent. */
  async send(event: StreamResponse, context: ServerCallContext, task?: Task): Promise<void> {
    const taskId = taskOf(event);
    if (taskId === "") return;
    for (const { id } of await this.#configs.load(taskId)) {
      const key = JSON.stringify([taskId, id]);
      const line = this.#lines.get(key);
      const entry = { event, task: structuredClone(task) };
      if (line === undefined) {
        const waiting = [entry];
        this.#lines.set(key, { waiting });
        const stored = () => this.#configs.find(taskId, id);
        void this.#work(key, waiting, stored).then((isTaken) =>
          isTaken ? undefined : this.#configs.delete(taskId, context, id),
        );
      } else if (isProgress(event) && isProgress(line.waiting.at(-1)?.event)) line.waiting.splice(-1, 1, entry);
      else if (line.waiting.length < maxWaiting || isEnd(event)) line.waiting.push(entry);
    }
  }

  /** @returns whether more may be sent there */
  async #work(key: string, waiting: Line["waiting"], stored: FindConfig): Promise<boolean> {
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (!(await this.#push(next.event, next.task, stored))) return false;
      }
      return true;
    } finally {
      this.#lines.delete(key);
    }
  }

  /** Sends one request where fewer than `maxAtOnce` are under way; the others take turns, so that receivers that never answer hold up no other for long. */
  async #inTurn<Value>(send: () => Promise<Value>): Promise<Value> {
    if (this.#atOnce < maxAtOnce) this.#atOnce++;
    else await new Promise<void>((resolve) => this.#ready.push(resolve));
    try {
      return await send();
    } finally {
      const next = this.#ready.shift();
      if (next === undefined) this.#atOnce--;
      else next();
    }
  }

  /** @returns whether more may be sent there */
  async #push(event: StreamResponse, task: Task | undefined, stored: FindConfig): Promise<boolean> {
    for (let attempt = 0; !this.#signal.aborted; attempt++) {
      try {
        const status = await this.#inTurn(async () => {
          const found = await stored();
          return found && this.#post(event, task, found);
        });
        if (status === undefined || status < 300) return true;
        if (status < 500 && status !== 408 && status !== 429) return false;
      } catch (error) {
        // Anything else is tried again; what cannot be sent at all the client finds when it looks.
        if (error instanceof ForbiddenAddress) return false;
      }
      const wait = pausesMs[attempt];
      if (wait === undefined) return true;
      await pause(wait, this.#signal).catch(() => {});
    }
    return false;
  }

  /** @returns the status of HTTP */
  #post(
    event: StreamResponse,
    task: Task | undefined,
    { config, wireVersion }: StoredPushNotificationConfig,
  ): Promise<number> {
    const serializer = this.#serializers[wireVersion.startsWith("0.") ? "0.3" : "1.0"];
    const { body, contentType } = serializer.serialize(event, task);
    const { scheme = "", credentials = "" } = config.authentication ?? {};
    const headers = {
      "content-type": contentType,
      ...(scheme !== "" && { authorization: `${scheme} ${credentials}`.trim() }),
      ...(config.token !== "" && { "x-a2a-notification-token": config.token }),
    };
    const within = AbortSignal.any([this.#signal, AbortSignal.timeout(requestMs)]);
    return post(new URL(config.url), { headers, body }, this.#rule, within);
  }
}

function taskOf({ payload }: StreamResponse): string {
  if (payload === undefined) return "";
  return payload.$case === "task" ? payload.value.id : payload.value.taskId;
}

const isProgress = (event: StreamResponse | undefined): boolean =>
  event?.payload?.$case === "statusUpdate" && event.payload.value.status?.state === TaskState.TASK_STATE_WORKING;

const isEnd = ({ payload }: StreamResponse): boolean =>
  payload?.$case === "statusUpdate" && payload.value.status?.state !== TaskState.TASK_STATE_WORKING;
