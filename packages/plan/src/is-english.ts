/** Words that hardly any sentence of these languages does without, and that English does not have. */
const ofOtherLanguages: ReadonlySet<string> = new Set(
  "der die das und ist mir mit für von zu den dem ein eine einen nicht alle auf bei nach wie bitte le la les des du et est une dans pour avec sur tous toutes puis leurs el los las y es una con por para mi todos todas il gli della di e per che tutti tutte o os um uma não do da het een van en naar voor met mijn".split(
    " ",
  ),
);
const ofEnglish: ReadonlySet<string> = new Set(
  "the a an and or of to in on for with from at by is are was what which who when where how my me i you it this that all do does please".split(
    " ",
  ),
);

/** Whether a text is likely English: other scripts are not, nor are texts with more small words of other languages than of English. Linear. */
export function isEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const count = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length;
  const foreign = words.filter((word) => /[^\p{Script=Latin}]/u.test(word)).length;
  return foreign * 2 <= words.length && count(ofOtherLanguages) <= count(ofEnglish);
}
