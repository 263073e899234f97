/**
 * `value` as JSON text of at most `maxCharacters`. Where it is longer, the outputs in `results` are cut, each to an equal share,
 * as text that says how long it was: a model reads a part, and sees that it is one. Of more results than can each have a share
 * those in `first` are kept, and `results_left_out` counts the others. Where even that is too long, lists and records give way to a
 * remark.
 */
export function fitsText(
  value: Readonly<Record<string, unknown>>,
  maxCharacters: number,
  first: readonly string[] = [],
): string {
  const whole = JSON.stringify(value);
  if (whole.length <= maxCharacters) return whole;
  const results = Object.entries((value.results ?? {}) as Readonly<Record<string, unknown>>);
  const rest = JSON.stringify({ ...value, results: {} }).length;
  const share = Math.max(200, Math.floor((maxCharacters - rest) / Math.max(1, results.length)) - 200);
  const cut = results.map(([name, output]): [string, unknown] => {
    const text = JSON.stringify(output) ?? "null";
    return text.length <= share
      ? [name, output]
      : [name, { cut: true, characters: text.length, start: head(text, share) }];
  });
  const shorter = JSON.stringify({ ...value, results: Object.fromEntries(cut) });
  if (shorter.length <= maxCharacters) return shorter;
  const kept = results.filter(([name]) => first.includes(name));
  if (kept.length < results.length) {
    const fewer = { ...value, results: Object.fromEntries(kept), results_left_out: results.length - kept.length };
    return fitsText(fewer, maxCharacters);
  }
  const plain = Object.entries(value).map(([name, item]) => [
    name,
    typeof item === "object" ? "left out: too long" : item,
  ]);
  return JSON.stringify(Object.fromEntries(plain));
}

/** The start of a text, such that it is `length` long once it is a JSON string itself, and no character is halved. */
function head(text: string, length: number): string {
  let start = text.slice(0, length);
  const excess = JSON.stringify(start).length - length;
  if (excess > 0) start = start.slice(0, Math.max(0, Math.floor((length * length) / (length + excess)) - 2));
  return start.replace(/[\ud800-\udbff]$/, "");
}
