import type { Parameter } from "./parameter.ts";

/** Words that say that something is left out. */
export const excluding =
  /^(?:exclud(?:e|es|ed|ing)|ignor(?:e|es|ed|ing)|skip(?:s|ped|ping)?|omit(?:s|ted|ting)?|except|without)$/;

/** A parameter for what is to be left out. */
export const holdsExclusion = ({ words }: Parameter): boolean =>
  words.some((word) => excluding.test(word) || word === "not");
