import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { PushNotificationStore, ServerCallContext, StoredPushNotificationConfig } from "@a2a-js/sdk/server";
import { BoundedMap } from "./bounded-map.ts";
import { type PushRule, wrongTarget } from "./push-target.ts";

/** Of one task. */
const maxConfigs = 10;
const maxTextLength = 4_000;

/** Where clients want to be notified of their tasks, in memory: after a restart they look themselves. */
export class PushConfigs implements PushNotificationStore {
  readonly #rule: PushRule;
  readonly #byTask: BoundedMap<string, readonly StoredPushNotificationConfig[]>;

  constructor(rule: PushRule, mostTasks: number) {
    this.#rule = rule;
    this.#byTask = new BoundedMap(mostTasks);
  }

  /** Gives the configuration an id where it has none. One with the same id is replaced. @throws RequestMalformedError */
  async save(
    taskId: string,
    { requestedVersion }: ServerCallContext,
    config: TaskPushNotificationConfig,
  ): Promise<void> {
    const { url, token, authentication } = config;
    const wrong = wrongTarget(url, this.#rule);
    if (wrong !== undefined)
      throw new RequestMalformedError(`Expected \`url\` of the push configuration to be ${wrong}.`);
    const texts = { token, scheme: authentication?.scheme, credentials: authentication?.credentials };
    for (const [name, text = ""] of Object.entries(texts)) {
      // What goes into a header.
      if (text.length <= maxTextLength && /^[\x20-\x7e]*$/.test(text)) continue;
      const expected = `at most ${maxTextLength} printable characters of ASCII`;
      throw new RequestMalformedError(`Expected \`${name}\` of the push configuration to be ${expected}.`);
    }
    config.id ||= crypto.randomUUID();
    const others = (this.#byTask.get(taskId) ?? []).filter((each) => each.config.id !== config.id);
    if (others.length >= maxConfigs) {
      throw new RequestMalformedError(`Expected at most ${maxConfigs} push configurations of a task.`);
    }
    const kept = { config: structuredClone({ ...config, taskId }), wireVersion: requestedVersion || "0.3" };
    this.#byTask.set(taskId, [...others, kept]);
  }

  async load(taskId: string): Promise<TaskPushNotificationConfig[]> {
    return this.loadWithMetadata(taskId).then((all) => all.map(({ config }) => config));
  }

  async loadWithMetadata(taskId: string): Promise<StoredPushNotificationConfig[]> {
    return structuredClone([...(this.#byTask.get(taskId) ?? [])]);
  }

  /** As it is now: it may have been replaced or deleted meanwhile. */
  async find(taskId: string, configId: string): Promise<StoredPushNotificationConfig | undefined> {
    return (await this.loadWithMetadata(taskId)).find(({ config }) => config.id === configId);
  }

  async delete(taskId: string, _context: ServerCallContext, configId?: string): Promise<void> {
    const rest = (this.#byTask.get(taskId) ?? []).filter(({ config }) => config.id !== configId);
    if (rest.length === 0) this.#byTask.delete(taskId);
    else this.#byTask.set(taskId, rest);
  }
}
