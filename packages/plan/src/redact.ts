import { isRecord } from "./json.ts";

/** Shorter texts are not keys, and blanking them would garble ordinary words. */
const minSecretLength = 6;

/**
 * Blanks every secret in the texts of a JSON value, keys included: programs and servers like to echo a refused key.
 * A secret is found as it is, each line of one that has several (a PEM key is shown line by line), and as it is written in JSON
 * text, in JSON text within JSON text, in an address or a form, in HTML, in base64 and in hexadecimal digits. One that was cut in
 * pieces, or written in other letter case, is not recognized. Secrets, and lines, of fewer than 6 characters are left. A value without
 * a secret is returned as it is.
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
  const sought = spellings(secrets);
  return sought.length === 0 ? value : (redacted(value, sought) as T);
}

/** Those of the lists of secrets that were last asked for; a run asks with the same list for each of its outputs. */
const known = new WeakMap<readonly string[], { readonly secrets: string; readonly spellings: readonly string[] }>();

/** Every way a secret is looked for, the longest first, so that no part of one is left beside what was blanked. */
export function spellings(secrets: readonly string[]): readonly string[] {
  if (secrets.length === 0) return secrets;
  const key = secrets.join("\0");
  const before = known.get(secrets);
  if (before?.secrets === key) return before.spellings;
  const all = new Set(secrets.flatMap(texts).flatMap(waysToWrite));
  const sorted = [...all].filter((text) => text.length >= minSecretLength).sort((a, b) => b.length - a.length);
  known.set(secrets, { secrets: key, spellings: sorted });
  return sorted;
}

/** The secret in either normal form; with line ends of either kind, and without control characters, as logs show it; its lines. */
function texts(secret: string): string[] {
  const forms = [secret, secret.normalize("NFC"), secret.normalize("NFD")];
  if (!/\p{Cc}/u.test(secret)) return forms;
  const lines = secret.split(/\r\n|\r|\n/);
  const pieces = secret.split(/\p{Cc}+/u);
  return [
    ...forms,
    lines.join("\n"),
    lines.join("\r\n"),
    pieces.join(""),
    ...pieces,
    ...pieces.map((piece) => piece.trim()),
  ];
}

function waysToWrite(text: string): string[] {
  if (text.length < minSecretLength) return [];
  const bytes = Buffer.from(text);
  const json = JSON.stringify(text).slice(1, -1);
  return [
    text,
    json,
    JSON.stringify(json).slice(1, -1),
    asciiJson(text),
    encodeURIComponent(text.toWellFormed()),
    encodeURI(text.toWellFormed()),
    new URLSearchParams([["", text]]).toString().slice(1),
    html(text),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
  ];
}

/** As a writer of JSON does that keeps to ASCII (Python's, by default). */
function asciiJson(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\u007f-\uffff]/g, escaped);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const html = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

function redacted(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") {
    return secrets.reduce(
      (text, secret) => (text.includes(secret) ? text.replaceAll(secret, "[redacted]") : text),
      value,
    );
  }
  if (Array.isArray(value)) {
    const copy = value.map((item) => redacted(item, secrets));
    return copy.some((item, index) => item !== value[index]) ? copy : value;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const copy = entries.map(([key, item]) => [redacted(key, secrets) as string, redacted(item, secrets)] as const);
  const isSame = copy.every(([key, item], index) => key === entries[index]![0] && item === entries[index]![1]);
  return isSame ? value : Object.fromEntries(copy);
}

const maxCauses = 5;

/**
 * An error's `cause`, and its causes in turn, without the secrets: the very one where none shows a secret, else errors with the
 * same name, code, message and stack but for these. Five deep; what lies below is left out once something was blanked.
 */
export function redactCause(cause: unknown, secrets: readonly string[], depth = 0): unknown {
  if (!(cause instanceof Error)) return redact(cause, secrets);
  const { name, message, stack = "" } = cause;
  const code: unknown = Reflect.get(cause, "code");
  const before = [name, message, stack, typeof code === "string" ? code : ""];
  const after = redact(before, secrets);
  const inner = depth < maxCauses ? redactCause(cause.cause, secrets, depth + 1) : undefined;
  const listed: unknown = Reflect.get(cause, "errors");
  const errors = Array.isArray(listed) && depth < maxCauses ? listed : [];
  const clear = errors.map((error) => redactCause(error, secrets, depth + 1));
  if (after === before && inner === cause.cause && clear.every((error, index) => error === errors[index])) return cause;
  const status: unknown = Reflect.get(cause, "status");
  const [cleanName = name, cleanMessage = message, cleanStack = stack, cleanCode = ""] = after;
  const clean = new Error(cleanMessage, inner === undefined ? undefined : { cause: inner });
  return Object.assign(clean, {
    name: cleanName,
    stack: cleanStack,
    ...(cleanCode !== "" && { code: cleanCode }),
    ...(typeof status === "number" && { status }),
    ...(errors.length > 0 && { errors: clear }),
  });
}
