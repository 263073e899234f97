import { type CivilDay, formatDay, parseDay } from "./calendar.ts";

/** A day that a text says, and where. */
interface SaidDay {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly from: CivilDay;
  readonly to: CivilDay;
}

const number = "\\d{1,2}(?:st|nd|rd|th)?";
const listed = new RegExp(
  `(?<=\\b(?:on|for|of|the|in|to|until|before|after|since|by)\\s)${number}(?:(?:, (?:and )?| and | & )${number}){0,8}(?:, (?:and )?| and | & )$`,
  "i",
);

/** "On 7, 14 and 21 May": the days whose month only the last one says, where the numbers rise to it. Linear in the dates. */
export function daysListedBefore(
  dates: readonly (Partial<SaidDay> & Pick<SaidDay, "start" | "text">)[],
  text: string,
): SaidDay[] {
  return dates.flatMap(({ start, from, to, text: said }): SaidDay[] => {
    if (from === undefined || to === undefined || formatDay(from) !== formatDay(to)) return [];
    if (!/^\d{1,2}(?:st|nd|rd|th)?(?: of)? \p{L}{3}/iu.test(said)) return [];
    const begin = Math.max(0, start - maxList);
    const [list] = listed.exec(text.slice(begin, start)) ?? [];
    if (list === undefined) return [];
    const places = [...list.matchAll(/\d{1,2}(?:st|nd|rd|th)?/gi)];
    const numbers = [...places.map(([each]) => Number.parseInt(each, 10)), from.day];
    if (!numbers.every((each, at) => each > (numbers[at - 1] ?? 0))) return [];
    return places.flatMap((place): SaidDay[] => {
      const day = parseDay(formatDay({ ...from, day: Number.parseInt(place[0], 10) }));
      const at = start - list.length + place.index;
      return day === undefined ? [] : [{ start: at, end: at + place[0].length, text: place[0], from: day, to: day }];
    });
  });
}

/** Characters of such a list. */
const maxList = 80;
