const tags = ["think", "thinking", "thought", "reasoning", "scratchpad", "seed:think"].join("|");
/** Tags, and the marks that templates have instead of them: Magistral's, Kimi's, Cohere's. The slash, or END, closes. */
const mark = new RegExp(`<(/?)(?:${tags})>|\\[(/?)THINK\\]|◁(/?)think▷|<\\|(START|END)_THINKING\\|>`, "gi");

function closesThought([, ...found]: RegExpExecArray): boolean {
  return found.some((part) => part === "/" || part?.toUpperCase() === "END");
}

/** Where gpt-oss says its answer, after what it thought in other channels. */
const finalChannel = /<\|channel\|>final(?:\s{0,4}<\|constrain\|>\w{0,20})?\s{0,4}<\|message\|>/g;
const endOfMessage = /<\|(?:end|return|call)\|>/;

/** The last message of the final channel where a server passes the channels on; else the text itself. */
function inFinalChannel(text: string): string {
  const start = [...text.matchAll(finalChannel)].at(-1);
  if (start === undefined) return text;
  const [answer = ""] = text.slice(start.index + start[0].length).split(endOfMessage, 1);
  return answer;
}

/** The text of a model, parted into what it thought and what it answered. */
export interface SplitText {
  /** Without closed think blocks, and up to one that never closes. */
  readonly answer: string;
  /** What follows a think mark that is never closed: a thought cut off, or an answer whose mark was forgotten. */
  readonly unclosed: string;
}

/**
 * Takes think blocks out. A closing mark without an opening one ends a block that began in the prompt, so all before
 * it is thought. Linear.
 */
export function splitThinking(written: string): SplitText {
  const text = inFinalChannel(written);
  const kept: string[] = [];
  let position = 0;
  let depth = 0;
  for (const found of text.matchAll(mark)) {
    const closes = closesThought(found);
    const end = found.index + found[0].length;
    if (closes) {
      if (depth === 0) {
        kept.length = 0;
      }
      depth = Math.max(0, depth - 1);
      position = end;
    } else {
      if (depth === 0) {
        kept.push(text.slice(position, found.index));
      }
      depth += 1;
      position = end;
    }
  }
  const rest = text.slice(position);
  return depth === 0
    ? { answer: [...kept, rest].join("\n"), unclosed: "" }
    : { answer: kept.join("\n"), unclosed: rest };
}

/** Only what was answered. */
export function withoutThinking(text: string): string {
  return splitThinking(text).answer;
}

/** A thought that its server did not take out, of a model whose prompt has the opening mark. */
const begunInPrompt = /^<\/(?:seed:)?think>[ \t]*\r?\n/i;

/**
 * A text as its reader is to see it: without the think block that it begins with. Marks further on are left, since an answer may speak of them.
 * Linear.
 */
export function afterThinking(written: string): string {
  const text = inFinalChannel(written);
  let depth = 0;
  for (const found of text.matchAll(mark)) {
    const closes = closesThought(found);
    const end = found.index + found[0].length;
    if (depth === 0) {
      if (closes) return begunInPrompt.test(text.slice(found.index, end + 80)) ? text.slice(end).trim() : text;
      if (text.slice(0, found.index).trim() !== "") return text;
    }
    depth += closes ? -1 : 1;
    if (depth === 0) return text.slice(end).trim();
  }
  return depth === 0 ? text : "";
}
