import { flagStems } from "../schema/parameter.ts";
import { sameStem, stem } from "../text/stem.ts";
import type { Candidate } from "./candidates.ts";
import { type Features, isSwitch, type Reading } from "./features.ts";
import type { Call } from "./fill-call.ts";

/** Allowed values are named by words anywhere in the call. */
export function fromChoices({ stems, tokens, draft }: Call, reading: Reading): Candidate[] {
  const { parameter } = reading;
  if (parameter.choices.length === 0) return [];
  const found = parameter.choices.flatMap((choice) => {
    const at = choice.stems.length === 0 ? -1 : positionOf(choice.stems, stems);
    return at < 0 ? [] : [{ choice, at, to: at + choice.stems.length }];
  });
  const list = parameter.takesList && !parameter.takesOne;
  const candidate = (value: unknown, hits: typeof found): Candidate => {
    const first = hits[0]!;
    const near = stems.slice(Math.max(0, first.at - 4), first.at).concat(stems.slice(first.to, first.to + 2));
    const telling = parameter.stems.filter((each) => near.some((other) => sameStem(each, other))).length;
    const shared = draft.profile.parameters.filter((other) =>
      other.choices.some((choice) => choice.stems.join(" ") === first.choice.stems.join(" ")),
    ).length;
    const names = new Set(draft.profile.nameWords.map(stem));
    return {
      group: "choice",
      reading,
      features: [
        ["bias", 1],
        ["required", Number(parameter.required)],
        ["words", Math.min(3, first.choice.stems.length) - 1],
        ["near", telling / Math.max(1, parameter.stems.length)],
        ["also elsewhere", Number(shared > 1)],
        ["rivals", Math.min(3, found.length - 1)],
        ["short", Number(first.choice.stems.join("").length < 3)],
        ["number", Number(/^\d+$/.test(first.choice.stems.join("")))],
        ["names the call", Number(first.choice.stems.every((each) => names.has(each)))],
        ["early", first.at / Math.max(1, stems.length)],
      ],
      parts: hits.map(({ at, to }) => [at, to]),
      spans: [],
      value,
      said: tokens
        .slice(first.at, first.to)
        .map((token) => token.text)
        .join(" "),
    };
  };
  if (found.length === 0) return [];
  if (list)
    return [
      candidate(
        found.map(({ choice }) => choice.value),
        found,
      ),
    ];
  return found.map((hit) => candidate(hit.choice.value, [hit]));
}

function positionOf(wanted: readonly string[], stems: readonly string[]): number {
  for (let at = 0; at + wanted.length <= stems.length; at += 1)
    if (wanted.every((each, index) => stems[at + index] === each)) return at;
  return -1;
}

/** The switch is named: true, or false after "no" or "without". */
export function fromFlag({ stems, tokens }: Call, reading: Reading): Candidate[] {
  const { parameter } = reading;
  if (!isSwitch(parameter)) return [];
  const wanted = flagStems(parameter);
  const hits = wanted.map((each) => stems.findIndex((other) => sameStem(other, each)));
  const share = hits.filter((at) => at >= 0).length / Math.max(1, wanted.length);
  const told = [...parameter.about].filter((each) => each.length > 3 && stems.includes(each)).length;
  const at = Math.max(...hits);
  const said = tokens.slice(Math.max(0, at - 4), at + 3).map((token) => token.lower);
  const negated = said
    .slice(0, 4)
    .some((word) => /^(?:no|not|without|don't|never|exclude|excluding|disable|false|off)$/.test(word));
  const off = said.some((word) => /^(?:false|off|disabled)$/.test(word));
  if (share === 0 && told < 2) return [];
  const features: Features = [
    ["bias", 1],
    ["required", Number(parameter.required)],
    ["share", share],
    ["whole", Number(share === 1)],
    ["told", Math.min(3, told)],
    ["negated", Number(negated || off)],
    ["default is so", Number(parameter.fallback === !(negated || off))],
  ];
  const parts = at < 0 ? [] : ([[at, at]] as const);
  return [
    {
      group: "flag",
      reading,
      features,
      parts,
      spans: [],
      value: !(negated || off),
      said: at < 0 ? "" : (tokens[at]?.text ?? ""),
    },
  ];
}
