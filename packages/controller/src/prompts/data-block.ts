/**
 * Text from outside (a description of a tool, an output, an earlier answer), fenced so that a model reads it as data.
 * `<` is written `\u003c`, so nothing inside can close the fence; in JSON that is the same character.
 */
export function dataBlock(tag: string, text: string): string {
  return `<${tag}>\n${text.replaceAll("<", "\\u003c")}\n</${tag}>`;
}
