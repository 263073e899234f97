import { hash } from "node:crypto";

/** A text of so many characters that no compression makes much shorter, the same for the same seed. */
export function longText(seed: string, length: number): string {
  let text = "";
  for (let part = 0; text.length < length; part++) text += hash("sha512", `${seed} ${part}`, "base64");
  return text.slice(0, length);
}
