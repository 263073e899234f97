import type { Token } from "./token.ts";

const irregular: ReadonlySet<string> = new Set(
  "found made sent held built given taken shown written done seen kept left lost paid sold bought brought known begun put set run gone come born driven grown thrown drawn".split(
    " ",
  ),
);

/** A word that may be a participle: "placed", "arriving", "sent". */
export function isParticiple(token: Pick<Token, "kind" | "lower">): boolean {
  if (token.kind !== "word") return false;
  return irregular.has(token.lower) || (token.lower.length > 3 && /(?:[^e]ed|..ing)$/.test(token.lower));
}
