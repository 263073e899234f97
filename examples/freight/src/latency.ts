/** How long a call takes: the same for the same call, different between calls, as with a real backend. */
export type Latency = (tool: string, input: unknown) => number;

const defaultRange = "20-80";

/** Reads `FREIGHT_LATENCY_MS`: `50` for always 50, `20-80` (the default) for a range, `0` for none. Milliseconds. */
export function latency(setting: string | undefined): Latency {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(setting || defaultRange);
  if (!match) throw new Error(`Expected FREIGHT_LATENCY_MS to be like 50 or 20-80, got "${setting}".`);
  const low = Number(match[1]);
  const high = Math.max(low, Number(match[2] ?? low));
  return (tool, input) => low + (hash(`${tool} ${JSON.stringify(input)}`) % (high - low + 1));
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return value;
}
