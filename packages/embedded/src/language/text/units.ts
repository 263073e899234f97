/** Units by dimension with the factor to a common one; the names are those of SI and of everyday English. */
const dimensions: Readonly<Record<string, string>> = {
  length:
    "1e-3:mm,millimeter,millimetre 1e-2:cm,centimeter,centimetre 1:m,meter,metre 1e3:km,kilometer,kilometre,kms 0.0254:inch,inches 0.3048:ft,foot,feet 0.9144:yd,yard 1609.344:mi,mile",
  mass: "1e-6:mg,milligram 1e-3:g,gram 1:kg,kilogram,kilo 1e3:ton,tonne 0.45359237:lb,lbs,pound 0.028349523125:oz,ounce",
  time: "1e-3:ms,millisecond 1:s,sec,second 60:min,mins,minute 3600:h,hr,hrs,hour 86400:day 604800:week",
  volume:
    "1e-3:ml,milliliter,millilitre 1e-2:cl,centiliter,centilitre 1:l,liter,litre 3.785411784:gal,gallon 0.946352946:qt,quart 0.473176473:pt,pint 0.2365882365:cup 0.01478676478125:tbsp,tablespoon 0.00492892159375:tsp,teaspoon",
  power: "1:w,watt 1e3:kw,kilowatt 1e6:mw,megawatt",
  share: "1:percent,percentage,% 100:fraction",
  data: "1:byte 1e3:kb,kilobyte 1e6:mb,megabyte 1e9:gb,gigabyte",
  speed: "1:m/s 0.27777777777778:km/h,kmh,kph 0.44704:mph",
};

interface Unit {
  readonly dimension: string;
  readonly factor: number;
}

const units = new Map<string, Unit>();
for (const [dimension, text] of Object.entries(dimensions)) {
  for (const entry of text.split(" ")) {
    const [factor = "1", names = ""] = entry.split(":");
    for (const name of names.split(",")) units.set(name, { dimension, factor: Number(factor) });
  }
}

/** The unit that a word names, in singular or plural; abbreviations as they are written. */
export function unitOf(word: string): Unit | undefined {
  const lower = word.toLowerCase();
  return units.get(lower) ?? (lower.length > 3 && lower.endsWith("s") ? units.get(lower.slice(0, -1)) : undefined);
}

/**
 * The unit that a description states: "in kilometers", "(km)", "unit: meters". Undefined where it names none, or two of
 * one dimension ("meters or feet").
 */
export function statedUnit(name: readonly string[], description: string): Unit | undefined {
  const found = new Map<string, Unit>();
  const take = (word: string, everyday: boolean) => {
    const unit = unitOf(word);
    if (unit === undefined || (everyday && word.length < 2)) return;
    const other = found.get(unit.dimension);
    found.set(
      unit.dimension,
      other === undefined || other.factor === unit.factor ? unit : { ...unit, factor: Number.NaN },
    );
  };
  for (const word of name) if (word.length > 2) take(word, true);
  const stated =
    /\b(?:in|units?(?: is| of)?:?|number of|measured in)\s+(?:the\s+)?([a-z/%]+)(?![a-z/%])(?!\s+per\b)(?:\s+or\s+([a-z/%]+))?|\(([a-z/%]{1,14})\)/giu;
  for (const [, first = "", second = "", bracketed = ""] of description.matchAll(stated))
    for (const word of [first, second, bracketed]) if (word !== "") take(word, false);
  const all = [...found.values()];
  return all.length === 1 && Number.isFinite(all[0]!.factor) ? all[0] : undefined;
}

/** The number in the unit wanted, where both are known and of one dimension; else as it is. */
export function converted(value: number, from: Unit | undefined, to: Unit | undefined): number {
  if (from === undefined || to === undefined || from.dimension !== to.dimension || from.factor === to.factor)
    return value;
  return Number(((value * from.factor) / to.factor).toPrecision(12));
}
