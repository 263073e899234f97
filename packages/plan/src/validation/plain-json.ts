/**
 * Whether `value` is what JSON text can say and nothing else: finite numbers, texts, lists without holes, plain objects. A property that is
 * `undefined` counts as one that is not there. The text of such a value says all of it, so two of one text are equal. Properties that are functions of the same process (accessors, proxies) are not
 * looked for.
 */
export function isPlainJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlainJson(value[index])) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key of Object.keys(value)) {
    const property = (value as Record<string, unknown>)[key];
    if (property !== undefined && !isPlainJson(property)) return false;
  }
  return true;
}
