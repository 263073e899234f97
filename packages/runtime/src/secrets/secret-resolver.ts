import type { RegistryEntry } from "../executors/registry.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";
import { minSecretLength, type Secrets, sourceOf } from "./secrets.ts";

/** Gives the texts of secrets, and keeps those that it gave, so that they can be blanked. */
export interface SecretResolver {
  /** Why a secret cannot be had for a resource, as far as that is known without asking for it. */
  refuses(name: string, resource: RegistryEntry["resource"]): TaskFailure | undefined;
  /** @throws TaskFailure SECRET (rejects) */
  reveal(name: string, resource: RegistryEntry["resource"], signal: AbortSignal): Promise<string>;
  /** All texts that are known, to be kept out of what is recorded. */
  readonly texts: readonly string[];
}

/** The secrets that a run was given. */
export class OwnSecrets implements SecretResolver {
  readonly #secrets: Secrets;
  /** `kind:uid` of the resources that each secret is for; absent where it is for all. */
  readonly #allowed = new Map<string, ReadonlySet<string>>();
  readonly #asked = new Map<string, Promise<string>>();
  /** The list is the same object until a text is added, so that its search is prepared once. */
  #texts: readonly string[] = [];

  /** @param keysOf `kind:uid` of every resource that an id means */
  constructor(secrets: Secrets, keysOf: (id: string) => readonly string[]) {
    this.#secrets = secrets;
    for (const [name, secret] of Object.entries(secrets)) {
      const { value, resources } = sourceOf(secret);
      if (typeof value === "string") this.#know(value);
      if (resources !== undefined) this.#allowed.set(name, new Set(resources.flatMap(keysOf)));
    }
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  #know(text: string): void {
    if (!this.#texts.includes(text)) this.#texts = [...this.#texts, text];
  }

  refuses(name: string, { kind, id }: RegistryEntry["resource"]): TaskFailure | undefined {
    if (!Object.hasOwn(this.#secrets, name)) {
      const given = Object.keys(this.#secrets);
      const known =
        given.length === 0 ? "the run was given none" : `the run was given ${given.slice(0, 10).join(", ")}`;
      return secretFailure(name, id, `Unknown secret ${JSON.stringify(name)} (${known}).`);
    }
    const allowed = this.#allowed.get(name);
    if (allowed === undefined || allowed.has(`${kind}:${id}`)) return undefined;
    return secretFailure(name, id, `The secret ${JSON.stringify(name)} is not for ${kind} "${id}".`);
  }

  async reveal(name: string, resource: RegistryEntry["resource"], signal: AbortSignal): Promise<string> {
    const refused = this.refuses(name, resource);
    if (refused !== undefined) throw refused;
    const { value } = sourceOf(this.#secrets[name] as Secrets[string]);
    if (typeof value === "string") return value;
    let asked = this.#asked.get(name);
    if (asked === undefined) {
      asked = this.#ask(name, resource.id, async () => value({ signal }));
      this.#asked.set(name, asked);
      // The next caller asks again.
      asked.catch(() => this.#asked.delete(name));
    }
    return asked;
  }

  async #ask(name: string, uid: string, give: () => Promise<string>): Promise<string> {
    let text: unknown;
    try {
      text = await give();
    } catch (cause) {
      // What a vault says may hold what was sent to it.
      throw secretFailure(name, uid, `The secret ${JSON.stringify(name)} could not be read.`, {
        cause,
        retryable: true,
      });
    }
    if (typeof text === "string" && text.length >= minSecretLength) {
      this.#know(text);
      return text;
    }
    throw secretFailure(
      name,
      uid,
      `Expected the secret ${JSON.stringify(name)} to be a text of at least ${minSecretLength} characters.`,
    );
  }
}

export function noSecrets(name: string): string {
  return `The secret ${JSON.stringify(name)} is unknown: the run was started without \`secrets\`.`;
}

export function secretFailure(
  name: string,
  uid: string,
  message: string,
  { cause, retryable = false }: { readonly cause?: unknown; readonly retryable?: boolean } = {},
): TaskFailure {
  return new TaskFailure(TaskErrorCode.SECRET, message, { retryable, details: { secret: name, uid }, cause });
}
