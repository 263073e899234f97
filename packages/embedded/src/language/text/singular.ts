const irregular = new Map([
  ["people", "person"],
  ["persons", "person"],
  ["children", "child"],
  ["men", "man"],
  ["women", "woman"],
  ["mice", "mouse"],
  ["feet", "foot"],
  ["teeth", "tooth"],
  ["geese", "goose"],
  ["criteria", "criterion"],
  ["phenomena", "phenomenon"],
  ["indices", "index"],
  ["vertices", "vertex"],
  ["matrices", "matrix"],
  ["lives", "life"],
  ["leaves", "leaf"],
  ["shelves", "shelf"],
  ["knives", "knife"],
  ["skus", "sku"],
  ["menus", "menu"],
  ["gpus", "gpu"],
  ["cpus", "cpu"],
  ["series", "series"],
  ["species", "species"],
  ["news", "news"],
  ["movies", "movie"],
  ["cookies", "cookie"],
  ["calories", "calorie"],
]);

/**
 * The singular of an English noun, lower-cased. Stricter than a stem: it joins a noun and its plural and nothing else,
 * so that the adjective made from a noun is not taken for the noun.
 */
export function singular(word: string): string {
  const lower = word.toLowerCase();
  const known = irregular.get(lower);
  if (known !== undefined) return known;
  if (lower.length < 4 || !lower.endsWith("s") || /(?:ss|us|is|ics)$/.test(lower)) return lower;
  if (lower.endsWith("ies")) return lower.length > 4 ? `${lower.slice(0, -3)}y` : lower.slice(0, -1);
  if (/(?:sses|shes|ches|xes|zzes)$/.test(lower)) return lower.slice(0, -2);
  if (/(?:statuses|viruses|buses|gases|bonuses|campuses|biases|censuses|lenses)$/.test(lower))
    return lower.slice(0, -2);
  if (/(?:analy|diagno|hypothe|synthe|paraly|progno|cri|oa|neuro)ses$/.test(lower)) return `${lower.slice(0, -2)}is`;
  if (/oes$/.test(lower)) return lower.slice(0, -2);
  return lower.slice(0, -1);
}

/** True for a word that is in the plural. */
export function isPlural(word: string): boolean {
  return singular(word) !== word.toLowerCase();
}
