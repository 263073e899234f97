import { isRecord, redact } from "@planloom/plan";
import { headerSecrets, secretHeaders, unmistakableKeys } from "../transport/cut.ts";

/**
 * A function that blanks keys in texts of errors. A provider's key is its own business, so it is looked for where it may be: in the environment, in the headers that the
 * model object sends, and, since middleware hides both, by the form that keys have.
 */
export function keyHider(model: object, environment: Readonly<Record<string, string | undefined>>) {
  const named = keysIn(environment);
  return (text: string): string => withoutForms(redact(text, [...named, ...sentBy(model)]));
}

/** Keys of the environment, and of the headers that the model object sends, which are blanked in answers. */
export function answerKeys(model: object, environment: Readonly<Record<string, string | undefined>>) {
  return unmistakableKeys([...keysIn(environment), ...sentBy(model)]);
}

function keysIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    /(?:^|_)(?:API_?KEY|ACCESS_KEY|TOKEN|SECRET)$/i.test(name) && value !== undefined && value.length >= 8
      ? [value]
      : [],
  );
}

/** What the models of the AI SDK's own packages send as `config.headers`: a record, or a function that gives one. A promise of one is not waited for. */
function sentBy(model: object): string[] {
  const { config } = model as { readonly config?: unknown };
  if (!isRecord(config)) return [];
  try {
    const headers: unknown = typeof config.headers === "function" ? config.headers() : config.headers;
    if (headers instanceof Promise) {
      headers.catch(() => undefined);
      return [];
    }
    const secret = secretHeaders(isRecord(headers) ? headers : {});
    return headerSecrets(secret).filter((each) => each.length >= 8);
  } catch {
    // A provider without a key says so here too; its error is on its way already.
    return [];
  }
}

/** Forms of keys, each with what stays of it. */
const forms: readonly (readonly [form: RegExp, stays: string])[] = [
  [/\b(Bearer|Basic)\s{1,3}[\w.~+/=-]{8,}/gi, "$1 "],
  [/\b(?:sk|pk|rk|gsk|xai|hf|r8|pplx|csk|nvapi|tgp|fw)[-_](?=[\w-]{0,200}\d)[\w-]{12,}/g, ""],
  [/\b(?:AIza[\w-]{30,}|(?:AKIA|ASIA)[0-9A-Z]{16}|ya29\.[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,})/g, ""],
  [/([?&](?:key|api[-_]?key|access_token|token|sig)=)[^&\s"']{6,}/gi, "$1"],
  [
    /\b((?:x-)?(?:goog-)?(?:api[-_ ]?key|auth[-_ ]?token|access[-_ ]?token)(?: \w{1,20}){0,2}["']?\s{0,3}[:=]\s{0,3}["']?)(?=[\w.-]{0,200}\d)[\w.-]{12,}/gi,
    "$1",
  ],
];

function withoutForms(text: string): string {
  return forms.reduce((left, [form, stays]) => left.replace(form, `${stays}[redacted]`), text);
}
