/** Most levels of lists and objects in a body: more than the 1,000 that values of a plan may have, since a plan is within it. */
export const maxBodyDepth = 1_100;

/** Whether JSON is deeper than `maxBodyDepth`, before anything reads it: what goes through it level by level would exhaust the stack. Linear. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isText) {
      if (character === "\\") at++;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === "[" || character === "{") {
      depth++;
      if (depth > maxBodyDepth) return true;
    } else if (character === "]" || character === "}") depth--;
  }
  return false;
}
