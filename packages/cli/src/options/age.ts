import { CliError, CliErrorCode } from "../errors.ts";

const unitMs: ReadonlyMap<string, number> = new Map([
  ["s", 1_000],
  ["min", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 7 * 86_400_000],
]);

/** An age such as `30d`, `12h` or `2w`, in milliseconds. @throws CliError USAGE */
export function readAge(option: string, text: string): number {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)(s|min|h|d|w)$/.exec(text.trim()) ?? [];
  const ms = Number(digits) * (unitMs.get(unit) ?? Number.NaN);
  if (digits !== "" && Number.isFinite(ms)) return ms;
  throw new CliError(CliErrorCode.USAGE, `${option}: expected an age such as 30d, got ${JSON.stringify(text)}.`, {
    hint: "A number with s, min, h, d or w.",
    details: { option },
  });
}
