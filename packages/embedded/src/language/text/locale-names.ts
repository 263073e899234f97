import { stem } from "./stem.ts";

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

const codes = new Map<Sort, ReadonlyMap<string, string>>();

/**
 * The ISO code of what a text names: "Japanese yen" and "yen" are JPY. A bare unit that several currencies share is that
 * of the one with a sign of its own ("dollars": USD, "pounds": GBP).
 */
export function codeOf(text: string, sort: "country" | "language" | "currency"): string | undefined {
  let known = codes.get(sort);
  if (known === undefined) {
    known = new Map(coders[sort]().flatMap(([name, code]) => (name === "" ? [] : [[name.toLowerCase(), code]])));
    codes.set(sort, known);
  }
  const lower = text.toLowerCase().replace(/^the /, "");
  return known.get(lower) ?? (sort === "currency" ? known.get(lower.replace(/s$/, "")) : undefined);
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

const coders = {
  country: () => pairs.map((code) => [namesOf("region", [code])[0] ?? "", code] as const),
  language: () =>
    pairs.map((pair) => pair.toLowerCase()).map((code) => [namesOf("language", [code])[0] ?? "", code] as const),
  currency: () =>
    Intl.supportedValuesOf("currency").flatMap((code) => {
      const name = namesOf("currency", [code])[0] ?? "";
      const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
      const sign = format.formatToParts(0).find(({ type }) => type === "currency")?.value ?? "";
      const own = sign.length === 1 ? [[name.split(" ").at(-1) ?? "", code] as const] : [];
      return [[name, code] as const, ...own];
    }),
} as const;

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
