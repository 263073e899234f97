import { nameOptions, type OptionRow, runOptionTable } from "planloom/options";
import { runSettings } from "./run-requests.ts";

/** An error's text for those who make requests: the options that it names with the field of the request that sets them, or as the server's. */
export function nameRequestFields(text: string): string {
  return nameOptions(text, placeOf);
}

function placeOf(option: string): string | undefined {
  if (!Object.hasOwn(runOptionTable, option)) return undefined;
  const field = option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (Object.hasOwn(runSettings, field)) return `\`${field}\` of a request that starts a run`;
  const { instance }: OptionRow = runOptionTable[option as keyof typeof runOptionTable];
  return instance === "no" ? undefined : "an option of the server";
}
