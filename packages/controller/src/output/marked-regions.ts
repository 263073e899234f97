export type Region = readonly [start: number, end: number];

const names = "plan|tool_call|tool_calls|function_call|answer|final_answer|json|output|response|result";
const tag = new RegExp(`<(/?)(${names})>`, "gi");
const fence = "```";
const language = /[\w-]*/y;

/** The regions in which a model marked its answer: inside a code fence or an answer tag. An unclosed one ends with the text. In order. */
export function markedRegions(text: string): Region[] {
  const regions = [...fencedRegions(text), ...taggedRegions(text)];
  return regions.sort((left, right) => left[0] - right[0]);
}

function fencedRegions(text: string): Region[] {
  const regions: Region[] = [];
  let start = -1;
  for (let at = text.indexOf(fence); at !== -1; at = text.indexOf(fence, language.lastIndex)) {
    language.lastIndex = at + fence.length;
    language.test(text);
    if (start >= 0) regions.push([start, at]);
    start = start >= 0 ? -1 : language.lastIndex;
  }
  if (start >= 0) regions.push([start, text.length]);
  return regions;
}

function taggedRegions(text: string): Region[] {
  const regions: Region[] = [];
  const opened = new Map<string, number>();
  for (const found of text.matchAll(tag)) {
    const name = (found[2] as string).toLowerCase();
    const start = opened.get(name);
    if (found[1] === "") {
      if (start === undefined) opened.set(name, found.index + found[0].length);
    } else if (start !== undefined) {
      regions.push([start, found.index]);
      opened.delete(name);
    }
  }
  return [...regions, ...[...opened.values()].map((start): Region => [start, text.length])];
}
