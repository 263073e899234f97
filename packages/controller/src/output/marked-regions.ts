export type Region = readonly [start: number, end: number];

const names = "plan|tool_call|tool_calls|function_call|answer|final_answer|json|output|response|result";
const mark = new RegExp(`\`\`\`[\\w-]*|<(/?)(${names})>`, "gi");

/** Where a model said "here it is": inside a code fence or an answer tag. What is unclosed goes on to the end. */
export function markedRegions(text: string): Region[] {
  const regions: Region[] = [];
  let fence = -1;
  const opened = new Map<string, number>();
  for (const found of text.matchAll(mark)) {
    const end = found.index + found[0].length;
    const name = found[2]?.toLowerCase();
    if (name === undefined) {
      if (fence >= 0) {
        regions.push([fence, found.index]);
      }
      fence = fence >= 0 ? -1 : end;
    } else if (found[1] === "/") {
      const start = opened.get(name);
      if (start !== undefined) {
        regions.push([start, found.index]);
        opened.delete(name);
      }
    } else if (!opened.has(name)) {
      opened.set(name, end);
    }
  }
  const unclosed = [...opened.values(), ...(fence >= 0 ? [fence] : [])];
  return [...regions, ...unclosed.map((start): Region => [start, text.length])].sort(([left], [right]) => left - right);
}
