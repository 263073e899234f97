/** A file's name ends in a short word or in a word and a digit (`mp3`, `7z`); months are left to the reader of dates. */
const extension = "(?!jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)[a-z][a-z0-9]{1,4}";
const segment = "[\\p{L}\\d_.@+-]{1,100}";

/**
 * Texts that are one value as they are written, however much parts of them look like words, numbers or dates: links, mail addresses,
 * paths from a root, a home or a drive, paths of several segments to a file, patterns of files, terms of a query language ("team:north",
 * "avg:load{host:a}"), hosts with a port, names of files.
 * Each alternative is of bounded length or consumes what it reads, so that a search is linear in the text.
 */
const patterns: readonly string[] = [
  "[a-z][a-z0-9+.-]{1,20}://[^\\s\"'<>]{1,2000}[^\\s\"'<>.,;:!?)\\]]",
  "www\\.[^\\s\"'<>]{1,500}[^\\s\"'<>.,;:!?)\\]]",
  "[\\w.+-]{1,64}@[\\w-]{1,64}(?:\\.[\\w-]{1,64}){1,8}",
  "[A-Za-z]:\\\\(?:[\\w.@+-]{1,100}\\\\?){0,40}",
  "[\\w./-]{0,60}(?:\\*{1,2}[\\w./-]{0,60}){1,6}",
  `(?:~|\\.{1,2})/(?:${segment}/?){1,40}`,
  `/${segment}(?:/${segment}){0,40}/?`,
  `${segment}(?:/${segment}){1,40}\\.${extension}(?![\\p{L}\\d_/-])`,
  "[\\p{L}_][\\w.:-]{0,100}\\{[^{}\\n]{1,200}\\}",
  "(?:[a-z][a-z0-9_-]{0,60}/){0,8}[a-z][a-z0-9_.-]{0,60}(?::(?!//|\\d{4}-)[\\p{L}\\d_*-][\\p{L}\\d_.*/-]{0,100}){1,8}",
  "(?:localhost|\\d{1,3}(?:\\.\\d{1,3}){3}|[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,8}):\\d{2,5}(?![\\d:])",
  `[\\p{L}\\d_-]{1,100}(?:\\.[\\p{L}\\d_-]{1,100}){0,8}\\.${extension}(?![\\p{L}\\d_-]|\\.\\w)`,
  // Names with a dot between their parts: "pump.north_hall", "gate.outer".
  "[a-z][a-z0-9_]{1,60}(?:\\.[a-z][a-z0-9_]{1,100}){1,4}(?![\\p{L}\\d_-]|\\.\\w)",
];

const literal = new RegExp(`(?<![\\p{L}\\d_/.:@*~-])(?:${patterns.join("|")})`, "giu");

const streetName = "\\p{Lu}[\\p{L}'’-]{0,40}";
const streetEnd =
  "(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Way|Square|Court|Terrace|Crescent|Quay)";
/**
 * A street and the number of a house in it: "5 Main Street", "Mill Lane 14", "221b Baker St", "12 rue de Rivoli", "Hafenstr. 5". Not where further parts of an address follow a comma,
 * which are dealt out to parameters of their own.
 */
const streets: readonly string[] = [
  `\\d{1,5}[a-zA-Z]?,? (?:${streetName} ){1,4}${streetEnd}`,
  `(?:${streetName} ){1,3}${streetEnd} \\d{1,4}[a-z]?`,
  `\\d{1,5}[a-zA-Z]?,? (?:rue|avenue|boulevard|place|quai|via|calle|plaza|piazza) (?:(?:de|du|des|la|le|las|los|el|del|della|di|da) ){0,3}${streetName}(?: ${streetName}){0,3}`,
  "(?:\\p{Lu}[\\p{L}-]{0,40} )?\\p{Lu}[\\p{L}-]{0,40}(?:straße|strasse|str\\.|gasse|weg|platz|allee|damm|ufer) \\d{1,4}[a-z]?",
];
const street = new RegExp(`(?<![\\p{L}\\d])(?:${streets.join("|")})(?![\\p{L}\\d]|\\s*,\\s*[\\p{Lu}\\d])`, "gu");

/** Whether a text is a street with the number of a house. */
export const isStreet = (text: string): boolean => new RegExp(`^(?:${street.source})$`, "u").test(text);

/** A file's name and a sentence's end without a space after it look alike: "the file.then", "by Friday.it". */
const glued = /\.(?:and|or|the|then|it|to|is|in|of|for|get|show|list|find)$/i;

/** "end.Then" is the end of a sentence: an extension is written in small letters or in capitals. */
const isWritten = (text: string) =>
  /[/\\:@*]/.test(text) || !/\.(?:\p{Lu}+\p{Ll}|\p{Ll}+\p{Lu})[\p{L}\d]*$/u.test(text);

export interface LiteralSpan {
  readonly start: number;
  readonly end: number;
}

/** Each of the patterns needs one of these signs beside another character: a text without them, as most goals are, need not be searched. */
const mayHoldLiteral = /[:.@*/{\\~]\S|\S\*/;

/** Where such texts are, in order; none overlaps another. What ends a sentence belongs to none. */
export function findLiterals(text: string): LiteralSpan[] {
  const found: LiteralSpan[] = [];
  for (const { 0: said, index } of mayHoldLiteral.test(text) ? text.matchAll(literal) : []) {
    const whole = said.replace(/[.,;:!?]+$/, "");
    if (!/[\p{L}~]|:\d/u.test(whole) || glued.test(whole) || !isWritten(whole)) continue;
    found.push({ start: index, end: index + whole.length });
  }
  const addresses = [...(/\d/.test(text) ? text.matchAll(street) : [])].map(({ 0: said, index }) => ({
    start: index,
    end: index + said.length,
  }));
  if (addresses.length === 0) return found;
  const isFree = (span: LiteralSpan) => addresses.every(({ start, end }) => span.end <= start || span.start >= end);
  return [...found.filter(isFree), ...addresses].sort((left, right) => left.start - right.start);
}

/** The text with such texts made unreadable, each as long as before: `/data/q3.xlsx` names no quarter. */
export function hideLiterals(text: string): string {
  let result = "";
  let at = 0;
  for (const { start, end } of findLiterals(text)) {
    result += text.slice(at, start) + "_".repeat(end - start);
    at = end;
  }
  return at === 0 ? text : result + text.slice(at);
}
