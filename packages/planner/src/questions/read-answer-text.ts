import { isRecord, type JsonSchema, validateValue } from "@planloom/plan";

/**
 * What a person typed as a value of the argument's type: a text stays as it is where the schema takes texts; else JSON, `yes` and `no`, or a
 * list with commas, whichever fits first. What fits nothing is returned as it was typed, so that the check that follows refuses it. Never throws.
 */
export function readAnswerText(text: string, schema: JsonSchema): unknown {
  const fits = (value: unknown) => validateValue(value, schema).length === 0;
  const secret = parsed(text);
  if (isRecord(secret) && Object.hasOwn(secret, "$secret")) return secret;
  const record = isRecord(schema) ? schema : {};
  const readings = hasType(record) ? [text, ...readingsOf(text)] : [...readingsOf(text), text];
  return readings.find(fits) ?? text;
}

function hasType({ type, enum: values, anyOf, oneOf, $ref, allOf }: Record<string, unknown>): boolean {
  return [type, values, anyOf, oneOf, $ref, allOf].some((each) => each !== undefined);
}

function readingsOf(text: string): unknown[] {
  const trimmed = text.trim();
  const value = parsed(trimmed);
  const flag = /^(?:yes|y)$/i.test(trimmed) ? [true] : /^(?:no|n)$/i.test(trimmed) ? [false] : [];
  const parts = trimmed.split(",").map((part) => part.trim());
  return [...(value === undefined ? [] : [value]), trimmed, ...flag, parts, parts.map((part) => parsed(part) ?? part)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
