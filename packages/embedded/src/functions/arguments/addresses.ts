import type { Token } from "../../language/text/token.ts";

/** Names and numbers that make up an address are at most so many tokens. */
const maxAddressTokens = 14;

/**
 * After the last token of an address that begins at a position: "12 High Street, Lowtown", "Lindenweg 7, 10117 Lowtown": a house number
 * beside the name of a street, and what the place lies in after commas. Undefined where none begins. O(1).
 */
export function addressEnd(tokens: readonly Token[], from: number): number | undefined {
  const isName = (at: number) => tokens[at]?.kind === "word" && tokens[at]!.capital;
  const isNumber = (at: number) => tokens[at]?.kind === "number" && /^\d{1,6}[a-z]?$/i.test(tokens[at]!.text);
  if (tokens[from - 1] !== undefined && isName(from - 1)) return undefined;
  let to = from;
  const part = () => {
    let [names, numbers] = [0, 0];
    while (to - from < maxAddressTokens && (isName(to) || isNumber(to))) {
      if (isName(to)) names += 1;
      else numbers += 1;
      to += 1;
    }
    return { names, numbers };
  };
  const street = part();
  if (street.names === 0 || street.numbers !== 1) return undefined;
  let parts = 1;
  while (tokens[to]?.text === "," && (isName(to + 1) || isNumber(to + 1))) {
    const comma = to;
    to += 1;
    const { names } = part();
    if (names === 0) {
      to = comma;
      break;
    }
    parts += 1;
  }
  return parts > 1 ? to : undefined;
}
