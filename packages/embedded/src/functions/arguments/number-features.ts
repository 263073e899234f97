import type { Draft } from "../../draft/draft.ts";
import { stem } from "../../language/text/stem.ts";
import { statedUnit, unitOf } from "../../language/text/units.ts";
import type { Features } from "../learned/weigh.ts";
import type { Excerpt } from "./excerpts.ts";
import { type NameProximity, strength } from "./features.ts";
import type { ParameterReading } from "./parameter-reading.ts";

const signs: ReadonlyMap<string, string> = new Map([
  ["%", "percent"],
  ["$", "dollar"],
  ["€", "euro"],
  ["£", "pound"],
]);

/** What speaks for a number as the value of a numeric parameter. */
export function numberFeatures(
  reading: ParameterReading,
  excerpt: Excerpt,
  near: NameProximity,
  elsewhere: number,
  numbers: readonly Excerpt[],
  draft: Draft,
): Features {
  const { parameter } = reading;
  const features: Features = [["bias", 1]];
  const put = (name: string, value: number | boolean) => {
    const amount = Number(value);
    if (amount !== 0) features.push([name, amount]);
  };
  const value = Number(excerpt.value ?? 0);
  const unit = excerpt.unit ?? excerpt.after[0] ?? "";
  const said = stem(signs.get(unit) ?? unit);
  const stated = statedUnit(parameter.words, parameter.description);
  const own = unitOf(unit);
  put("required", parameter.required);
  put("near left", near.left);
  put("near right", near.right);
  put("near", strength(near));
  put("elsewhere", elsewhere);
  put("elsewhere only", Math.max(0, elsewhere - strength(near)));
  put("unit described", said !== "" && (parameter.about.has(said) || parameter.stems.includes(said)));
  put("same dimension", stated !== undefined && own !== undefined && stated.dimension === own.dimension);
  put("other dimension", stated !== undefined && own !== undefined && stated.dimension !== own.dimension);
  put("unit where none is", stated !== undefined && own === undefined);
  put("rate", excerpt.unit === "%" && parameter.stems.some((each) => each === "rate" || each.startsWith("percent")));
  put("money", /[$€£]/.test(excerpt.text) && [...parameter.about, ...parameter.stems].some((each) => money.has(each)));
  put("no money", !/[$€£]/.test(excerpt.text) && parameter.stems.some((each) => money.has(each)));
  const around = [...excerpt.before.slice(0, 4), ...excerpt.after.slice(0, 3)];
  put("about near", Math.min(3, around.filter((each) => parameter.about.has(each)).length));
  put("about first", parameter.about.has(excerpt.before[0] ?? "") || parameter.about.has(excerpt.after[0] ?? ""));
  put("identifier", parameter.isIdentifier);
  put("limit", parameter.isLimit);
  put("fraction", !Number.isInteger(value));
  put("fraction for whole", !Number.isInteger(value) && !parameter.types.has("number"));
  put("year for year", parameter.words.includes("year") && value > 1500 && value < 2200);
  put("year for other", !parameter.words.includes("year") && value > 1900 && value < 2100);
  const others = numbers.filter((each) => each !== excerpt);
  const rank = others.filter((each) => each.from < excerpt.from).length;
  const place = others.length === 0 ? 0.5 : rank / others.length;
  put("far in order", reading.rivals === 0 ? 0 : Math.abs(reading.place - place));
  put(
    "as many",
    numbers.length === reading.rivals + 1 && (reading.rivals === 0 || Math.abs(reading.place - place) < 0.01),
  );
  put("no rival", reading.rivals === 0);
  put("only number", numbers.length === 1);
  const inRow =
    excerpt.base.joined ||
    numbers.some((each) => each.base.joined && each.from > excerpt.from && each.from - excerpt.to <= 3);
  put("in a row", inRow);
  put("in a row for one", inRow && !parameter.takesList && !parameter.required);
  const spelled = /^\p{L}+$/u.test(excerpt.text);
  put("spelled", spelled);
  put("spelled for another", spelled && near.left + near.right === 0 && !parameter.about.has(excerpt.after[0] ?? ""));
  put(`left ${excerpt.left}`, 1);
  put(`right ${excerpt.right}`, 1);
  put("has default", parameter.fallback !== undefined);
  put(
    "names the call",
    draft.profile.nameWords.some((word) => excerpt.after[0] === stem(word)),
  );
  put("single letter", parameter.name.length === 1 && excerpt.before.includes(parameter.name.toLowerCase()));
  return features;
}

const money: ReadonlySet<string> = new Set(
  [
    "price",
    "cost",
    "amount",
    "budget",
    "dollar",
    "salary",
    "income",
    "fee",
    "payment",
    "principal",
    "investment",
    "loan",
    "money",
    "usd",
    "currency",
  ].map(stem),
);
