import type { Parameter } from "./parameter.ts";

const languages =
  /\b(?:SQL|JQL|CQL|SOQL|GraphQL|Cypher|SPARQL|XPath|PromQL|LogQL|KQL)\b|\bregular expression\b|\bregex\b/;

/** The description takes words of English as well. */
const takesWords = /\b(?:simple|plain|free|natural)[ -]?(?:text|terms?|words?|language|search|query)\b|\bkeywords?\b/i;

/** The parameter holds a text in a formal language, which its description names. */
export const holdsCode = ({ description, name }: Parameter) =>
  languages.test(`${description} ${name}`) && !takesWords.test(description);
