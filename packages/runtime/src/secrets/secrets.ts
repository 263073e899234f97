import { isRecord, isSecretName } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/** A secret: its text, and the resources that may get it. */
export interface SecretSource {
  /** The text, or a function that gives it when a call needs it, called once a run. At least 6 characters. */
  readonly value: string | ((options: { readonly signal: AbortSignal }) => string | Promise<string>);
  /** Ids of the only resources whose calls it is filled in for. @default all that take secrets */
  readonly resources?: readonly string[];
}

/** The secrets that `{"$secret": "NAME"}` in arguments may name, by name. */
export type Secrets = Readonly<Record<string, string | SecretSource>>;

/** A shorter text could not be kept out of what is recorded without garbling ordinary words. */
export const minSecretLength = 6;

/** @throws RuntimeError INVALID_OPTION, which never quotes a value */
export function checkSecretsOption(secrets: unknown): void {
  if (secrets === undefined) return;
  if (!isRecord(secrets)) throw wrong("secrets", "an object of names and values");
  for (const [name, source] of Object.entries(secrets)) {
    const option = `secrets.${name}`;
    if (!isSecretName(name)) {
      throw wrong(option, 'named with letters, digits, "_", "-" and ".", beginning with a letter or "_"');
    }
    const { value, resources } = isRecord(source) ? source : { value: source, resources: undefined };
    if (typeof value === "function") continue;
    if (typeof value !== "string" || value.length < minSecretLength) {
      throw wrong(
        option,
        `a text of at least ${minSecretLength} characters, or { value, resources? } (its value is not shown)`,
      );
    }
    if (resources !== undefined && !(Array.isArray(resources) && resources.every((id) => typeof id === "string"))) {
      throw wrong(`${option}.resources`, "a list of ids");
    }
  }
}

export function sourceOf(secret: string | SecretSource): SecretSource {
  return typeof secret === "string" ? { value: secret } : secret;
}

function wrong(option: string, expected: string): RuntimeError {
  return new RuntimeError(RuntimeErrorCode.INVALID_OPTION, `Expected \`${option}\` to be ${expected}.`, {
    details: { option },
  });
}
