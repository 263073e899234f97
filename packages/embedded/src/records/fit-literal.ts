import { aboutAffinity, hasStem, nameAffinity } from "../catalogue/affinity.ts";
import { idAgreement } from "../catalogue/id-forms.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import { isStreet } from "../language/text/literals.ts";
import { stem } from "../language/text/stem.ts";
import type { Evidence } from "./evidence.ts";
import type { Fit, FitContext } from "./fit-context.ts";
import { isCode, isIdOfAnotherThing } from "./ids-of-others.ts";
import { directionFit, has, textScores, wrap } from "./text-scores.ts";

/** A form in which something is written, and what speaks for it as the value of a parameter, beside its affinity; undefined where it cannot be its value. */
interface FormOfLiteral {
  fits(text: string, parameter: Parameter): boolean;
  score(parameter: Parameter, evidence: Evidence): number | undefined;
}

/** The first that fits counts. */
const forms: readonly FormOfLiteral[] = [
  // An address is not an id, though its words are near.
  { fits: (text, { isIdentifier }) => isIdentifier && /.@|:\/\//.test(text), score: () => undefined },
  {
    fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) && !text.startsWith("@"),
    score: (parameter) => (holdsMail(parameter) ? textScores.address : 0),
  },
  {
    fits: (text) => /^[a-z0-9]+:\/\/|^www\./i.test(text),
    score: (parameter) => (holdsLink(parameter) ? textScores.link : textScores.linkElsewhere),
  },
  {
    fits: (text) => /\.[a-z]{2,5}\d?$/i.test(text),
    score: (parameter) =>
      (has(parameter, /file|path|document|image|photo|picture|audio|video|attachment|source|input/)
        ? textScores.file
        : textScores.fileElsewhere) + (parameter.required ? textScores.requiredFile : 0),
  },
  {
    fits: (text) => /^\+?\d[\d() .-]{6,}$/.test(text),
    score: (parameter) =>
      has(parameter, /phone|mobile|cell|tel|fax|number|contact|recipient|^to$/)
        ? textScores.telephone
        : textScores.telephoneElsewhere,
  },
  {
    fits: (text) => isStreet(text),
    score: (parameter, evidence) => {
      if (parameter.isIdentifier) return undefined;
      return holdsStreet(parameter) ? textScores.street + directionFit(parameter, evidence) : 0;
    },
  },
  { fits: (text) => /^[[{]/.test(text), score: () => undefined },
  {
    fits: (text, parameter) => /^v?\d+(?:\.\d+){2,}/i.test(text) && has(parameter, /version|release|^tag|build/),
    score: () => textScores.version,
  },
];

const holdsMail = (parameter: Parameter) =>
  parameter.format === "email" ||
  has(parameter, /e_?mail|address|recipient|to$|^from|sender|attendee|invitee|participant|guest/);
const holdsLink = (parameter: Parameter) =>
  parameter.format.startsWith("uri") || has(parameter, /url|uri|link|website|site|page|href/);
const holdsStreet = (parameter: Parameter) =>
  parameter.isPlace || has(parameter, /address|street|venue|location|place|pick_?up|drop_?off/);

/** Addresses, links, files, numbers, codes and other things that are written in a form of their own. */
export function fitLiteral(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const { text } = evidence;
  const form = forms.find(({ fits }) => fits(text, parameter));
  const score = form === undefined ? scoreOfCode(parameter, evidence, context) : form.score(parameter, evidence);
  if (score === undefined) return undefined;
  const affinity = 2 * nameAffinity(parameter, evidence.near) + aboutAffinity(parameter, evidence.near);
  return { score: score + affinity, value: wrap(parameter, text.replace(/^#(?=\w)/, "")) };
}

/** What has no such form is a code, often an id. */
function scoreOfCode(parameter: Parameter, evidence: Evidence, context: FitContext): number | undefined {
  if (isIdOfAnotherThing(parameter, evidence, context)) return undefined;
  const isShaped = idAgreement(parameter, evidence.text, parameter.isIdentifier);
  const counted = evidence.counted === true && isItem(parameter, context) ? textScores.countedItem : 0;
  if (parameter.isIdentifier) {
    const own = scoreOfId(parameter, evidence, context, isShaped);
    return own === undefined ? undefined : own + counted;
  }
  const foreign = isShaped === false ? textScores.foreignId : 0;
  const required = parameter.required ? textScores.required : 0;
  return textScores.literal + foreign + counted + required;
}

/** @param isShaped whether it is written like the ids that the parameter takes, where something tells that */
function scoreOfId(
  parameter: Parameter,
  evidence: Evidence,
  context: FitContext,
  isShaped: boolean | undefined,
): number | undefined {
  if (isShaped === false) return undefined;
  const { entity, required } = parameter;
  const own = entity.length === 0 || entity.every((noun) => context.entity.includes(noun));
  const near = entity.length > 0 && entity.some((noun) => hasStem(evidence.near, stem(noun)));
  // "show order O-1" and "was O-1 cancelled" name an order and no customer, though orders may be listed by customer.
  const isLoose = evidence.preposition === "" && !evidence.beforeNoun;
  if (!required && !own && !near && isShaped !== true && (evidence.afterNoun || isLoose)) return undefined;
  const isOfEntity = near || isShaped === true || (own && evidence.afterNoun);
  const score = isOfEntity ? textScores.idOfEntity : own ? textScores.idOfOwn : textScores.idOfOther;
  const isOnly = isCode.test(evidence.text) && required && context.parameters.filter(isNeededId).length === 1;
  const direction = parameter.direction ?? describedDirection(parameter.description);
  const side = direction === undefined ? 0 : directionFit({ ...parameter, direction }, evidence);
  const given = isShaped === true || near ? 0 : receiverFit(parameter, evidence, context);
  return score + side + given + (isOnly ? textScores.onlyId : 0);
}

/** "Assign J-1 to T-9" by what assigns "a job to a translator": T-9 is the translator, and J-1 the job. */
function receiverFit({ entity }: Parameter, { preposition }: Evidence, { receiver, parameters }: FitContext): number {
  const isReceiver = (nouns: readonly string[]) => receiver !== undefined && nouns.includes(receiver);
  const ids = parameters.filter(isNeededId);
  if (ids.length < 2 || !ids.some((other) => isReceiver(other.entity))) return 0;
  if (!/^(?:to|into)?$/.test(preposition)) return 0;
  return (preposition !== "") === isReceiver(entity) ? textScores.receiver : 0;
}

const isNeededId = (parameter: Parameter) => parameter.required && parameter.isIdentifier;

/** It is in a list of objects that have a number too: `lines[].sku` beside `lines[].quantity`. */
const isItem = ({ list }: Parameter, { parameters }: FitContext) =>
  list !== undefined &&
  parameters.some(
    (other) => other.list?.join("\0") === list.join("\0") && (other.types.has("integer") || other.types.has("number")),
  );

/** A description that ends in a preposition: "the bin that it comes from". */
function describedDirection(description: string): Parameter["direction"] {
  const [, word] = /\b(to|into|onto|from|out of)[.)]?\s*$/i.exec(description) ?? [];
  return word === undefined ? undefined : /^(?:from|out)/i.test(word) ? "origin" : "target";
}
