import { type CivilDay, formatDay } from "../language/temporal/calendar.ts";
import type { SaidText } from "./said-text.ts";

/** How a value of a plan follows from what the goal says; undefined where it does not follow from these words. */
export type Derive = (said: SaidText) => unknown;

/** Every way in which the words give the value; the first that does is how other words give theirs. */
export function derivation(value: unknown, said: SaidText): Derive | undefined {
  return ways(value, said).find((derive) => derive(said) === value);
}

function ways(value: unknown, said: SaidText): readonly Derive[] {
  if (typeof value === "number") return [numberOf, numberInTag];
  if (typeof value !== "string") return [];
  const [unit] = said.units;
  if (said.units.length === 1 && unit?.kind === "date") return datesOf;
  return [
    ...letters.map(
      (write): Derive =>
        ({ text }) =>
          write(text),
    ),
    ({ units }) => (units.length === 1 && units[0]!.kind === "number" ? String(units[0]!.value) : undefined),
    ...(said.units.length === 1 && unit?.kind === "literal" ? partsOf(said.text) : []),
  ];
}

const numberOf: Derive = ({ units }) => (units.length === 1 ? units[0]!.value : undefined);
const numberInTag: Derive = ({ units, text }) => {
  const [, digits] = /^[#@](\d{1,15})$/.exec(text) ?? [];
  return units.length === 1 && digits !== undefined ? Number(digits) : undefined;
};

const letters: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/\s+/g, " "),
  (text) => text.toLowerCase(),
  (text) => text.toUpperCase(),
  (text) => text.replace(/\p{L}+/gu, (word) => word[0]!.toUpperCase() + word.slice(1)),
  (text) => text.charAt(0).toUpperCase() + text.slice(1),
];

/** `facebook` of `https://host/facebook/react`, `general` of `#general`: the same part of another text with as many. */
function partsOf(text: string): Derive[] {
  const count = pieces(text).length;
  const bare: Derive = (said) => said.text.replace(/^[#@]/, "");
  const tagged = ["#", "@"].map(
    (sign): Derive =>
      (said) =>
        sign + said.text,
  );
  const parts = Array.from(
    { length: count },
    (_, at): Derive =>
      (said) => {
        const all = pieces(said.text);
        return all.length === count ? all[at] : undefined;
      },
  );
  return [bare, ...tagged, ...(count > 1 ? parts : [])];
}

const pieces = (text: string): string[] => text.split(/[/@:#?&=]+/);

type Day = (said: SaidText) => CivilDay | undefined;
const dayOf: readonly Day[] = [({ units }) => units[0]?.date?.from, ({ units }) => units[0]?.date?.to];
const writeDay: readonly ((day: CivilDay) => string)[] = [
  formatDay,
  (day) => `${formatDay(day)}T00:00:00Z`,
  (day) => `${formatDay(day)}T23:59:59Z`,
  ({ year }) => String(year),
];
const datesOf: readonly Derive[] = [
  ({ text }) => text,
  ...dayOf.flatMap((read) =>
    writeDay.map(
      (write): Derive =>
        (said) => {
          const day = read(said);
          return day === undefined || said.units.length !== 1 ? undefined : write(day);
        },
    ),
  ),
];
