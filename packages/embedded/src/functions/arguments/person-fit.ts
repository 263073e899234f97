import type { Parameter } from "../../catalogue/parameter.ts";
import { isTextual, type ParameterReading } from "./parameter-reading.ts";

/** How much an address of mail speaks for the only argument that says which person is meant, in units of `explicitLogOdds`. Set by hand. */
const onlyPerson = 0.75;

/** "assign task 5 to ann@x.org": for the only argument that says which person is meant, where none takes an address of mail by itself. O(parameters). */
export function personAgreement(parameter: Parameter, readings: readonly ParameterReading[]): number {
  if (readings.some(({ shapes }) => shapes.has("mail"))) return 0;
  const people = readings.filter(
    (other) => isTextual(other.parameter) && !other.parameter.takesList && saysWhichPerson(other.parameter),
  );
  return people.length === 1 && people[0]!.parameter === parameter ? onlyPerson : 0;
}

const saysWhichPerson = ({ words, description }: Parameter): boolean =>
  /^(?:user|member|person|assignee|owner|attendee|contact|customer|reviewer|invitee)$/.test(words.at(-1) ?? "") ||
  /\b(?:user|member|person)(?:'s)? ids?\b/i.test(description);
