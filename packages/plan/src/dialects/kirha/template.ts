import { formatKirhaPath, parseKirhaPath } from "./path.ts";

/** The value of an argument that is taken from a step's output. `$outputKey` is a path; empty is the whole output. */
export interface KirhaReference {
  readonly $fromStep: string;
  readonly $outputKey: string;
}

/** A text that holds outputs of steps: `{n}` refers to `$values[n]`. The result is always text. */
export interface KirhaTemplate {
  readonly $fromTemplateString: string;
  readonly $values: readonly KirhaReference[];
}

/** The id of the step with this number, if there is such a step. */
export type StepIdOf = (index: number) => string | undefined;

// `{0}`, `{0.path}`, `{0[1].path}`. Braces cannot occur inside, so every attempt ends at the next brace: linear.
const placeholder = /\{(0|[1-9][0-9]{0,8})([.[][^{}]*)?\}/g;

/**
 * The texts and references of a string. What refers to no step, and what is not a reference (`{0.}`, `{ 0 }`, `{-1}`), stays
 * text: `{3}` may as well be a regular expression's.
 */
export function splitKirhaText(text: string, stepIdOf: StepIdOf): (string | KirhaReference)[] {
  const parts: (string | KirhaReference)[] = [];
  let copied = 0;
  for (const match of text.matchAll(placeholder)) {
    const [whole, index = "", pathText = ""] = match;
    const path = parseKirhaPath(pathText);
    const stepId = stepIdOf(Number(index));
    if (stepId === undefined || (pathText !== "" && path.length === 0)) continue;
    if (match.index > copied) parts.push(text.slice(copied, match.index));
    parts.push({ $fromStep: stepId, $outputKey: formatKirhaPath(path) });
    copied = match.index + whole.length;
  }
  if (copied < text.length) parts.push(text.slice(copied));
  return parts;
}

/** A string as the parsed form has it: itself when it refers to no step, else placeholders numbered by occurrence. */
export function parseKirhaTemplate(text: string, stepIdOf: StepIdOf): string | KirhaTemplate {
  const $values: KirhaReference[] = [];
  const $fromTemplateString = splitKirhaText(text, stepIdOf)
    .map((part) => (typeof part === "string" ? part : `{${$values.push(part) - 1}}`))
    .join("");
  return $values.length === 0 ? text : { $fromTemplateString, $values };
}

/** The texts and references of a parsed template; a number without a value stays text. */
export function splitKirhaTemplate({ $fromTemplateString, $values }: KirhaTemplate): (string | KirhaReference)[] {
  const parts: (string | KirhaReference)[] = [];
  let copied = 0;
  for (const match of $fromTemplateString.matchAll(/\{(0|[1-9][0-9]{0,8})\}/g)) {
    const value = $values[Number(match[1])];
    if (value === undefined) continue;
    if (match.index > copied) parts.push($fromTemplateString.slice(copied, match.index));
    parts.push(value);
    copied = match.index + match[0].length;
  }
  if (copied < $fromTemplateString.length) parts.push($fromTemplateString.slice(copied));
  return parts;
}
