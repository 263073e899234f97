import { stem } from "../text/stem.ts";

/** What a text can be the name of, as the runtime's own locale data (CLDR) knows it. */
export type Sort = "country" | "city" | "language" | "currency" | "month" | "weekday";

const sets = new Map<Sort, ReadonlySet<string>>();

/**
 * True for an English name of a country, a city that a time zone is named after, a language, a currency, a month or a
 * day of the week. Each list is read once, when it is first asked for (1 to 50 ms). A runtime without full locale data
 * knows less.
 */
export function isNamed(text: string, sort: Sort): boolean {
  let names = sets.get(sort);
  if (names === undefined) {
    names = new Set(readers[sort]().flatMap((name) => (/\p{L}{2}/u.test(name) ? [name.toLowerCase()] : [])));
    sets.set(sort, names);
  }
  return names.has(text.toLowerCase().replace(/^the /, ""));
}

/** The sort that a stem of a parameter's name asks for. */
export const sortOf: ReadonlyMap<string, Sort> = new Map(
  (
    [
      ["country", "country"],
      ["nation", "country"],
      ["city", "city"],
      ["town", "city"],
      ["location", "city"],
      ["place", "city"],
      ["destination", "city"],
      ["language", "language"],
      ["lang", "language"],
      ["currency", "currency"],
      ["month", "month"],
      ["weekday", "weekday"],
    ] as const
  ).map(([word, sort]) => [stem(word), sort]),
);

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const pairs = letters.flatMap((first) => letters.map((second) => first + second));

function namesOf(type: "region" | "language" | "currency", codes: readonly string[]): string[] {
  const names = new Intl.DisplayNames("en", { type, fallback: "none" });
  return codes.map((code) => names.of(code) ?? "");
}

function daysOf(count: number, step: number, part: "month" | "weekday"): string[] {
  const format = new Intl.DateTimeFormat("en", { [part]: "long", timeZone: "UTC" });
  return Array.from({ length: count }, (_, at) => format.format(Date.UTC(2024, 0, 1 + step * at)));
}

const readers: Readonly<Record<Sort, () => string[]>> = {
  country: () => namesOf("region", pairs),
  language: () =>
    namesOf(
      "language",
      pairs.map((pair) => pair.toLowerCase()),
    ),
  city: () => Intl.supportedValuesOf("timeZone").map((zone) => (zone.split("/").at(-1) ?? "").replaceAll("_", " ")),
  currency: () => {
    const codes = Intl.supportedValuesOf("currency");
    // "US Dollar" is also called dollar.
    const units = namesOf("currency", codes).flatMap((name) => {
      const unit = name.split(" ").at(-1) ?? "";
      return [name, `${name}s`, unit, `${unit}s`];
    });
    return [...codes, ...units];
  },
  month: () => daysOf(12, 30.5, "month"),
  weekday: () => daysOf(7, 1, "weekday"),
};
