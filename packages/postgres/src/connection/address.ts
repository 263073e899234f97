import { invalid } from "@planloom/runtime/journal-parts";

const schemaName = /^[a-z_][a-z0-9_]{0,50}$/;

/** @throws RuntimeError INVALID_OPTION for anything but the address of a Postgres database */
export function checkAddress(url: unknown): asserts url is string {
  const isAddress = typeof url === "string" && /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url);
  // A password may be in it, so that it is not repeated.
  if (!isAddress)
    throw invalid("url", "the address of a Postgres database (postgres://user@host:5432/database)", typeof url);
}

/** @throws RuntimeError INVALID_OPTION: a schema is a name of small letters, digits and underscores, 51 characters at most */
export function checkSchema(schema: unknown): asserts schema is string {
  if (typeof schema !== "string" || !schemaName.test(schema))
    throw invalid("schema", "a name of small letters, digits and underscores (at most 51)", schema);
}

/** The address without its password and options, for messages. */
export function nameOf(url: string, schema: string): string {
  const { username, host, pathname } = new URL(url);
  const user = username === "" ? "" : `${username}@`;
  return `postgres://${user}${host}${pathname}${schema === "planloom" ? "" : ` (schema ${schema})`}`;
}
