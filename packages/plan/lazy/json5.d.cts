/** The library `json5`, loaded at the first call. */
export function loadJson5(): { parse(text: string): unknown };
