const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/**
 * Writes JSON data as compact JSON5: names without quotes where they are identifiers, strings in the quotes they hold
 * fewer of, single ones on a tie. Models trained on Kirha's format were shown tools written this way.
 */
export function stringifyJson5(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
    case "boolean":
      return String(value);
    case "object": {
      if (value === null) {
        return "null";
      }
      if (Array.isArray(value)) {
        return `[${value.map(stringifyJson5).join(",")}]`;
      }
      const entries = Object.entries(value).filter(([, item]) => item !== undefined);
      return `{${entries.map(([key, item]) => `${name(key)}:${stringifyJson5(item)}`).join(",")}}`;
    }
    default:
      return "null";
  }
}

function name(key: string): string {
  return identifier.test(key) ? key : quote(key);
}

function quote(text: string): string {
  const mark = count(text, "'") <= count(text, '"') ? "'" : '"';
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return mark + inner.replaceAll(mark, `\\${mark}`) + mark;
}

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}
