import { holdsCode } from "../../catalogue/holds-code.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { holdsStatement } from "../../catalogue/takes-statement.ts";
import { keywordOf, opensStatement } from "../../language/clauses/statements.ts";
import type { Token } from "../../language/text/token.ts";
import type { Excerpt } from "./excerpts.ts";

/**
 * Whether an excerpt is such a text: 2 for a whole statement whose keyword the resource names, -1 for words and names of English and for
 * parts of a statement; else 0.
 */
export function codeAgreement(
  { from, to, kind, text }: Excerpt,
  parameter: Parameter,
  tokens: readonly Token[],
  { resource }: Profile,
): number {
  const quoted = kind === "quoted" ? keywordOf(text.replace(/^["'“‘`«]/u, "")) : undefined;
  if (quoted !== undefined) return holdsStatement(parameter, resource) ? 2 : -1;
  if (!holdsCode(parameter)) return 0;
  const keyword = tokens[0]?.text ?? "";
  const isStatement = opensStatement(tokens) && `${resource.description} ${parameter.description}`.includes(keyword);
  if (isStatement) return from === 0 && to === tokens.length ? 2 : -1;
  return kind === "quoted" || kind === "literal" || /[=<>*()]/.test(text) ? 0 : -1;
}
