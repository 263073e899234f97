import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { serverOf } from "../../catalogue/servers.ts";
import type { Draft } from "../../draft/draft.ts";
import { refusals } from "../../language/clauses/refusals.ts";
import type { Span } from "../../language/clauses/spans.ts";
import type { Token } from "../../language/text/token.ts";
import { unitOf } from "../../language/text/units.ts";
import type { FunctionPlanning } from "./function-planning.ts";
import { attributeSet } from "./set-attributes.ts";
import { narrows, stateOfThings } from "./state-words.ts";

/** A call with the values that its words hold. */
interface CallSaid {
  readonly profile: Profile;
  readonly tokens: readonly Token[];
  readonly spans: readonly Span[];
  readonly used: ReadonlyMap<Span, Parameter>;
  readonly drafts: readonly Draft[];
}

/** Values that no argument of any call took, nor has otherwise: "Fahrenheit" chose an allowed value. */
export function reportUnused(
  said: readonly CallSaid[],
  calls: readonly CallSaid[],
  tokens: readonly Token[],
  planning: FunctionPlanning,
): void {
  const fillings = calls.flatMap(({ drafts }) => drafts.flatMap(({ filled }) => [...filled.values()]));
  const values = fillings.flatMap(({ filling }) => (filling.kind === "value" ? [filling] : []));
  const known = new Set(values.flatMap(({ value }) => (Array.isArray(value) ? value : [value])).map(plain));
  const ranges = values.flatMap(({ origin }) =>
    origin?.start === undefined ? [] : [[origin.start, origin.start + (origin.text?.length ?? 0)] as const],
  );
  const names = new Set(
    calls.flatMap(({ profile }) => [...profile.parameters, ...profile.output.fields].flatMap((each) => each.stems)),
  );
  const refused = refusals(tokens);
  // "at 9:30 for 30 minutes" has said when it ends.
  const isEndSaid = fillings.some(({ parameter, filling }) => parameter.side === "end" && filling.kind === "value");
  const isLength = ({ kind, unit, after, preposition }: Span) =>
    kind === "number" && preposition === "for" && /^(?:minut|hour|min$|h$)/.test(unit ?? after[0] ?? "");
  for (const { profile, tokens: own, spans, used, drafts } of said) {
    for (const span of spans) {
      if (used.has(span) || span.kind === "phrase") continue;
      const [start, end] = [span.words[0]?.start ?? 0, span.words.at(-1)?.end ?? 0];
      if (known.has(plain(span.text)) || (span.kind === "number" && known.has(plain(span.value)))) continue;
      if ((isEndSaid && isLength(span)) || isReplaced(span, own)) continue;
      // "on GitHub" says whose the tool is.
      if (plain(span.text) === serverOf(profile.resource)) continue;
      // "search DuckDuckGo": the name of what the tool uses.
      if (span.kind === "name" && span.text.length > 3 && openingSentence(profile).includes(span.text)) continue;
      // "as Markdown" chose `get_page_markdown`.
      if (span.words.every(({ lower }) => profile.nameWords.includes(lower))) continue;
      // A unit belongs to its number, and "its URL" names a field.
      if (unitOf(span.text) !== undefined || span.words.every(({ stem }) => names.has(stem))) continue;
      if (ranges.some(([from, to]) => from < end && to > start)) continue;
      // What is not to be done needs no parameter.
      if (refused.some((each) => each.start < end && each.end > start)) continue;
      const message = `\`${profile.label}\` has no parameter for "${span.text}"; the result is not narrowed down by it.`;
      const draft = drafts.find((each) => each.profile === profile);
      planning.unresolved.push({ reason: "no_parameter", text: span.text, message, ...(draft && { draft }) });
    }
    reportState({ profile, tokens: own, drafts }, ranges, planning);
  }
}

/** "List shipped orders", where the tool lists them all. */
function reportState(
  { profile, tokens, drafts }: Pick<CallSaid, "profile" | "tokens" | "drafts">,
  ranges: readonly (readonly [from: number, to: number])[],
  planning: FunctionPlanning,
): void {
  const draft = drafts.find((each) => each.profile === profile);
  if (draft === undefined || profile.effect !== "reads") return;
  const isOwn = ({ stem }: Token) => profile.about.has(stem) || profile.attributes.has(stem);
  const found = stateOfThings(tokens, profile, isOwn);
  const state = found && tokens[found[0]];
  if (found === undefined || state === undefined || !narrows(tokens, found)) return;
  if (ranges.some(([from, to]) => from < state.end && to > state.start)) return;
  const message = `\`${profile.label}\` has no parameter for "${state.text}"; the result is not narrowed down by it.`;
  planning.unresolved.push({ reason: "no_parameter", text: state.text, message, draft });
}

/** "change the status from open to done": what it was. */
const isReplaced = ({ from, to }: Span, tokens: readonly Token[]): boolean =>
  tokens[from - 1]?.lower === "from" && tokens[to]?.lower === "to" && attributeSet(tokens, to + 1).length > 0;

const openingSentence = ({ resource }: Profile): string =>
  /^[^\n]{0,200}?(?:\.(?=\s)|\n|$)/u.exec(resource.description)?.[0] ?? "";

const plain = (value: unknown) => String(value).toLowerCase();
