/** Words that say by themselves that a parameter holds a credential, as the last of its name. */
const credentials: ReadonlySet<string> = new Set(
  "password passwd pwd passphrase passcode secret secrets credential credentials apikey authorization".split(" "),
);
/** What makes a key or a token one: `api_key`, `access_token`; not `sort_key`, `page_token`. */
const kinds: ReadonlySet<string> = new Set(
  "api access auth authentication authorization bearer bot client oauth personal private refresh secret security session".split(
    " ",
  ),
);

/**
 * Whether a text parameter holds a credential, which proves who calls, by its schema (`format: password`, `writeOnly`) or by the name that tools commonly give
 * such parameters. A key to encrypt something with is data of the call.
 * @param words of the name, in lower case
 */
export function isCredential(
  words: readonly string[],
  format: string,
  schema: Readonly<Record<string, unknown>>,
): boolean {
  if (format === "password" || schema.writeOnly === true) return true;
  const last = words.at(-1) ?? "";
  const before = words.at(-2);
  if (credentials.has(last) || credentials.has(`${before ?? ""}${last}`)) return true;
  if (last === "token") return before === undefined || kinds.has(before);
  return last === "key" && before !== undefined && kinds.has(before);
}
