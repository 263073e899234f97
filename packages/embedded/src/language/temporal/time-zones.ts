/** A time zone said in a text: an IANA name or an offset such as `+05:30`, both as `Intl` takes them. */
export type Zone = string;

const cities = new Map<string, Zone>();
const generic = new Map<string, Zone>();

/** Zones whose everyday names ("Pacific Time") are read; the names come from the runtime's locale data. */
const common = [
  "America/New_York",
  "America/Chicago",
  "America/Denver",
  "America/Los_Angeles",
  "America/Anchorage",
  "Pacific/Honolulu",
  "Europe/London",
  "Europe/Paris",
  "Europe/Athens",
  "Europe/Moscow",
  "Asia/Kolkata",
  "Asia/Shanghai",
  "Asia/Tokyo",
  "Australia/Sydney",
];

/** The zone of a city that an IANA zone is named after: "New York". Read once, some 2 ms. */
export function zoneOfCity(name: string): Zone | undefined {
  if (cities.size === 0)
    for (const zone of Intl.supportedValuesOf("timeZone"))
      cities.set((zone.split("/").at(-1) ?? "").replaceAll("_", " ").toLowerCase(), zone);
  return cities.get(name.toLowerCase());
}

/** The zone that "Pacific Time", "Pacific" or "Tokyo time" names. */
function zoneOfName(name: string): Zone | undefined {
  if (generic.size === 0)
    for (const zone of common) {
      const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longGeneric" }).formatToParts(0);
      const long = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
      generic.set(long.toLowerCase().replace(/ (?:standard )?time$/, ""), zone);
    }
  const plain = name.toLowerCase().replace(/ (?:standard )?time$/, "");
  return generic.get(plain) ?? (plain === name.toLowerCase() ? undefined : zoneOfCity(plain));
}

/** `+02:00` for 120 minutes east of UTC. */
export function offsetZone(minutes: number): Zone {
  const size = Math.abs(minutes);
  const two = (value: number) => String(Math.trunc(value)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}

/**
 * The zone that comes right after a time of day, and how much text it takes: "Pacific time", "Tokyo time", "Asia/Tokyo".
 * Abbreviations ("EST", "UTC+2") are read with the time itself.
 */
export function zoneAfter(text: string): { readonly zone: Zone; readonly length: number } | undefined {
  const named =
    /^\s+\(?([A-Z][a-z]+(?: [A-Z][a-z]+)?(?: [Ss]tandard)? [Tt]ime|Pacific|Eastern|Mountain|Central)\b\)?/.exec(text);
  const zone = named === null ? undefined : zoneOfName(named[1]!);
  if (zone !== undefined) return { zone, length: named![0].length };
  const written = /^\s+\(?([A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_]+){1,2})\)?/.exec(text);
  const known = written === null ? undefined : knownZone(written[1]!);
  return known === undefined ? undefined : { zone: known, length: written![0].length };
}

function knownZone(name: string): Zone | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
