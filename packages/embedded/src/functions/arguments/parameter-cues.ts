import type { Parameter } from "../../catalogue/parameter.ts";
import type { Bound } from "../../language/clauses/said-bounds.ts";

const low = /\bmin(?:imum)?\b|\bleast\b|\blower\b|\bfloor\b|\bgte?\b|\babove\b/;

const high = /\bmax(?:imum)?\b|\bmost\b|\bupper\b|\bceiling\b|\blte?\b|\bbelow\b/;

/** "(max: 100)": what a parameter may be at most says nothing of what it bounds. */
const ownBound = /\b(?:max|min)(?:imum)?\b\.?(?: value)?(?::| of| is)? ?\d[\d,]*|\bat (?:most|least) \d+/g;

/** Which side of a range a parameter bounds, by its name, else by its description. */
export function boundHeld({ words, description, types }: Parameter): Bound {
  // `year_from` and `year_to`
  const end = words.length > 1 && !types.has("string") ? words.at(-1) : undefined;
  if (end === "from" || end === "to") return end === "from" ? "low" : "high";
  for (const text of [words.join(" "), description.toLowerCase().replaceAll(ownBound, "")]) {
    const [isLow, isHigh] = [low.test(text), high.test(text)];
    if (isLow !== isHigh) return isLow ? "low" : "high";
  }
  return undefined;
}

/** What kinds of things said outright a parameter takes; read once. */
export interface ParameterCues {
  readonly bound: Bound;
  readonly share: boolean;
  readonly lasts: boolean;
  readonly counts: boolean;
  /** A number of things, or the number that one thing has. */
  readonly numbers: "many" | "one" | undefined;
  readonly unit: boolean;
  /** Which cue announces its text. */
  readonly cue: "maker" | "name" | "message" | "reason" | undefined;
}

export function cuesOf(parameter: Parameter, textual: boolean): ParameterCues {
  const name = parameter.words.join(" ");
  const cues = { maker: makers, name: /\b(?:name|title|label)$/, message: messages, reason: reasons };
  const cue = Object.entries(cues).find(([, words]) => textual && words.test(name))?.[0] as ParameterCues["cue"];
  return {
    bound: boundHeld(parameter),
    share: /\bpercent(?:age)?\b|%/i.test(`${name} ${parameter.description}`),
    lasts: /\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|duration|age)\b/.test(name),
    counts: /\b(?:count|quantity|qty|limit|n)$/.test(name),
    numbers: numbersOf(name, parameter),
    unit: /\bunits?$/.test(name),
    cue,
  };
}

function numbersOf(name: string, { description, types }: Parameter): ParameterCues["numbers"] {
  if (!types.has("integer") && !types.has("number")) return undefined;
  if (/\b(?:count|quantity|qty|limit|amount|copies|times|size|total)\b|^(?:num|number of|max|n) /.test(name))
    return "many";
  if (/^(?:how many|(?:the )?(?:maximum |total |max )?number of)\b/i.test(description)) return "many";
  return /\b(?:index|position|start|row|column|line|page|offset|at|before|after|number|no|id|port|step)$/.test(name)
    ? "one"
    : undefined;
}

const makers =
  /\b(?:author|artist|writer|creator|composer|director|singer|band|painter|publisher|maker|manufacturer|brand|by)$/;

const messages = /\b(?:message|text|body|content)$/;

const reasons = /\b(?:reason|cause|justification|explanation|rationale|why|purpose|occasion)\b/;
