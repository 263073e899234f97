import type { OutputField } from "../../catalogue/output-shape.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Draft } from "../../draft/draft.ts";
import { typesMeet } from "../../draft/link.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { weakNames } from "../../language/text/weak-names.ts";
import type { Features } from "../learned/weigh.ts";
import type { Call } from "./call.ts";
import { isSwitch, type ParameterReading } from "./parameter-reading.ts";

/** A field of an earlier call that an argument could take. */
export interface Flow {
  readonly source: Draft;
  readonly field: OutputField;
  readonly features: Features;
}

/** An argument may take fields of this many calls before its own. */
const maxSourceCalls = 6;
/** Fields of one call that are looked at. */
const maxFieldsOfSource = 40;

/** Fields of the calls before, the nearest first, whose types do not rule them out. */
export function flowsFor(reading: ParameterReading, call: Call): Flow[] {
  const { parameter } = reading;
  if (parameter.choices.length > 0) return [];
  const flows: Flow[] = [];
  const before = call.earlier.slice(-maxSourceCalls);
  before.forEach((source, at) => {
    if (source.profile === call.draft.profile) return;
    for (const field of source.profile.output.fields.slice(0, maxFieldsOfSource)) {
      if (!mayFeed(parameter, field)) continue;
      flows.push({ source, field, features: flowFeatures(reading, field, source, before.length - 1 - at, call) });
    }
  });
  return flows;
}

function mayFeed(parameter: Parameter, field: OutputField): boolean {
  if (!typesMeet(parameter, field) && !(parameter.takesList && !field.types.has("object"))) return false;
  return (
    field.types.size === 0 || field.types.has("boolean") === (isSwitch(parameter) || parameter.types.has("boolean"))
  );
}

function flowFeatures(
  reading: ParameterReading,
  field: OutputField,
  source: Draft,
  back: number,
  call: Call,
): Features {
  const { parameter } = reading;
  const features: Features = [["bias", 1]];
  const put = (name: string, value: number | boolean) => {
    const amount = Number(value);
    if (amount !== 0) features.push([name, amount]);
  };
  const { hints } = call;
  const telling = field.stems.filter((each) => !weakNames.has(each));
  const nameStems = source.profile.nameWords.map(stem);
  const own = [...nameStems, ...field.stems];
  const names = overlap(parameter.stems, field.stems);
  put("required", parameter.required);
  put("same name", parameter.name.toLowerCase() === field.name.toLowerCase());
  put("names", names);
  put("names back", overlap(field.stems, parameter.stems));
  put("names with source", overlap(parameter.stems, own));
  put("described", overlap(parameter.stems, [...own, ...field.about]));
  put(
    "about",
    overlap(
      [...parameter.about].filter((each) => !weakNames.has(each)),
      [...field.about, ...own],
    ),
  );
  put("about back", overlap(telling, [...parameter.about]));
  put("source about", overlap(nameStems, [...parameter.about]));
  put("types meet", typesMeet(parameter, field));
  put(
    "same type",
    [...field.types].some((type) => parameter.types.has(type) || (type === "array" && parameter.takesList)),
  );
  put("list", parameter.takesList);
  put("text field", field.types.has("string"));
  put("number field", field.types.has("number") || field.types.has("integer"));
  put("object field", field.types.has("object"));
  put("identifiers", field.isIdentifier && parameter.isIdentifier);
  put("identifier for none", field.isIdentifier !== parameter.isIdentifier);
  put("only field", source.profile.output.fields.length === 1);
  put("first field", source.profile.output.fields[0] === field);
  const mentioned = telling.length === 0 ? 0 : telling.filter((each) => hints.stems.has(each)).length / telling.length;
  put("mentioned", mentioned);
  put("mentioned name", names * mentioned);
  const words = parameter.stems.filter((each) => !weakNames.has(each));
  put(
    "parameter mentioned",
    words.length === 0 ? 0 : words.filter((each) => hints.stems.has(each)).length / words.length,
  );
  put("source mentioned", overlap(nameStems, [...hints.stems]));
  put("points back", hints.pointsBack && back === 0);
  put("points back far", hints.pointsBack && back > 0);
  put("last", back === 0);
  put("back", Math.min(4, back));
  put(
    "no values",
    call.spans.every((span) => span.kind === "phrase"),
  );
  put("values", Math.min(4, call.spans.filter((span) => span.kind !== "phrase").length));
  return features;
}

/** What a word like "name" or "id" counts beside a telling one. The learned weights of links rest on it. */
const weakWordShare = 0.3;

/** The share of the stems of one list that another has: 0 to 1. Words that many parameters have count little. */
function overlap(left: readonly string[], right: readonly string[]): number {
  let shared = 0;
  let all = 0;
  for (const each of left) {
    const weight = weakNames.has(each) ? weakWordShare : 1;
    all += weight;
    if (right.some((other) => sameStem(each, other))) shared += weight;
  }
  return all === 0 ? 0 : shared / all;
}
