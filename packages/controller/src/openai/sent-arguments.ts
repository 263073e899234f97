import { isRecord } from "@planloom/plan";

/**
 * The arguments of an earlier call as they can be sent back: providers and chat templates take objects alone. Arguments that are not an object were
 * answered with an error, which the model still sees.
 */
export function sentInput(written: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(written);
    if (isRecord(value)) return value;
  } catch {}
  return written.trim() === "" ? {} : { unreadable: written };
}

/** The same as text: as the model wrote it where it wrote an object. */
export function sentArguments(written: string): string {
  const input = sentInput(written);
  return written.trim() === "" || Object.hasOwn(input, "unreadable") ? JSON.stringify(input) : written;
}
