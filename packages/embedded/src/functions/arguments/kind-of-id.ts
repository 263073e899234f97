import type { Parameter } from "../../catalogue/parameter.ts";
import type { Token } from "../../language/text/token.ts";
import { nounOfId } from "../segmenting/named-ids.ts";
import type { ParameterReading } from "./parameter-reading.ts";

/**
 * "which crates hang on barge 123", for an `object_type` with an `object_id` beside it and a `to_object_type` without: what is said right before an
 * id is of which kind the thing with the id is. In units of `explicitLogOdds`: above 0 for the parameter beside the id, below 0 for others.
 * @param to where the value ends
 */
export function kindOfIdAgreement(
  parameter: Parameter,
  to: number,
  tokens: readonly Token[],
  readings: readonly ParameterReading[],
): number {
  const kinds = readings.filter((each) => isKind(each.parameter));
  const ofId = kinds.filter((each) => hasId(each.parameter, readings));
  if (kinds.length < 2 || ofId.length !== 1 || !isKind(parameter)) return 0;
  const isBefore = isId(tokens, to);
  if (!isBefore && !tokens.some((_, at) => isId(tokens, at))) return 0;
  return isBefore === (ofId[0]!.parameter === parameter) ? 1 : -1;
}

const isId = (tokens: readonly Token[], at: number): boolean =>
  at > 0 && at < tokens.length && tokens[at - 1]!.kind === "word" && nounOfId(tokens, at) !== undefined;

const isKind = ({ words }: Parameter): boolean => words.length > 1 && /^(?:type|kind)$/.test(words.at(-1)!);

const hasId = ({ words }: Parameter, readings: readonly ParameterReading[]): boolean =>
  readings.some(
    ({ parameter: { isIdentifier, words: own } }) =>
      isIdentifier && own.slice(0, -1).join() === words.slice(0, -1).join(),
  );
