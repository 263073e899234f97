import { isRecord } from "../json.ts";
import { type AnyChecks, expectedInstead, type OptionCheck } from "./option-check.ts";
import { unknownOption, type WrongOption } from "./unknown-option.ts";

/** The names of all options; of a union, those of each member. */
type NameOf<Options> = Options extends unknown ? keyof Options : never;

/**
 * The checks of the options of a call, one for each: `{ … } as const satisfies OptionChecks<MyOptions>`. It has exactly the names of the type, so that
 * an option without its check does not compile.
 */
export type OptionChecks<Options> = { readonly [Name in NameOf<Options>]: OptionCheck };

/**
 * Checks the options of a call, once. It is for callers without types, whose misspelt option would otherwise be ignored without notice. Options whose
 * value is `undefined` count as left out.
 * @param of what takes the options, as it reads in a sentence: "a run", "`defineTool`"
 * @returns the first option that is unknown or whose value is not what its check asks for
 */
export function wrongOption(of: string, options: unknown, checks: AnyChecks): WrongOption | undefined {
  return wrongWithin(of, "", options, checks);
}

function wrongWithin(of: string, at: string, options: unknown, checks: AnyChecks): WrongOption | undefined {
  if (!isRecord(options)) {
    const message = `Expected the options of ${of} to be an object, got ${options === null ? "null" : typeof options}.`;
    return { message, details: { option: "options" } };
  }
  const unknown = unknownOption(of, options, Object.keys(checks), at, () => pathsWithin(checks));
  if (unknown !== undefined) return unknown;
  for (const [name, check] of Object.entries(checks)) {
    const value = options[name];
    if (value === undefined && !isRequired(check)) continue;
    const expected = expectedInstead(check, value);
    const option = at + name;
    if (expected !== undefined)
      return { message: `Expected \`${option}\` of ${of} to be ${expected}.`, details: { option } };
    const wrong = typeof check === "object" ? wrongInside(of, `${option}.`, value, check) : undefined;
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The paths of the options within these: "budgets.run.calls". Those under names of the caller's own are left out. */
function pathsWithin(checks: AnyChecks): string[] {
  return Object.entries(checks).flatMap(([name, check]) => optionsOf(check).flatMap((inner) => pathsOf(name, inner)));
}

const pathsOf = (name: string, inner: AnyChecks) =>
  [...Object.keys(inner), ...pathsWithin(inner)].map((path) => `${name}.${path}`);

function optionsOf(check: OptionCheck): readonly AnyChecks[] {
  if (typeof check === "string") return [];
  if ("options" in check) return [check.options];
  if ("required" in check) return optionsOf(check.required);
  return "either" in check ? check.either.flatMap(optionsOf) : [];
}

function isRequired(check: OptionCheck): boolean {
  return typeof check === "object" && "required" in check;
}

/** Checks the options within objects and lists, whose own type was checked before. */
function wrongInside(
  of: string,
  at: string,
  value: unknown,
  check: Exclude<OptionCheck, string>,
): WrongOption | undefined {
  if ("required" in check)
    return typeof check.required === "string" ? undefined : wrongInside(of, at, value, check.required);
  if ("either" in check) {
    const inside = check.either.find((each) => typeof each === "object" && expectedInstead(each, value) === undefined);
    return inside === undefined ? undefined : wrongInside(of, at, value, inside as Exclude<OptionCheck, string>);
  }
  if ("options" in check) return wrongWithin(of, at, value, check.options);
  const checks = "each" in check ? check.each : "eachOf" in check ? check.eachOf : undefined;
  if (checks === undefined) return undefined;
  for (const [key, entry] of Object.entries(value as object)) {
    const wrong = isRecord(entry) ? wrongWithin(of, `${at}${key}.`, entry, checks) : wrongEntry(of, at + key, entry);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongEntry(of: string, option: string, entry: unknown): WrongOption | undefined {
  const expected = expectedInstead("object", entry);
  return { message: `Expected \`${option}\` of ${of} to be ${expected}.`, details: { option } };
}

/** One check for many names: for options whose names are those of another table. */
export function checkedAlike<const Name extends string, const Check extends OptionCheck>(
  names: readonly Name[],
  check: Check,
): Readonly<Record<Name, Check>> {
  return Object.fromEntries(names.map((name) => [name, check])) as Record<Name, Check>;
}

/** The checks without those of some options: for calls that do not take these. */
export function checksWithout<Checks extends object, const Name extends keyof Checks>(
  checks: Checks,
  ...names: readonly Name[]
): Omit<Checks, Name> {
  const left = Object.entries(checks).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(left) as Omit<Checks, Name>;
}

/** The checks of some options only. */
export function checksOf<Checks extends object, const Name extends keyof Checks>(
  checks: Checks,
  names: readonly Name[],
): Pick<Checks, Name> {
  return Object.fromEntries(names.map((name) => [name, checks[name]])) as Pick<Checks, Name>;
}

/**
 * Makes the `checkOptions` of a package: a function that throws what `wrongOption` finds as an error of that package.
 * @param fail makes that error
 */
export function optionChecker(
  fail: (message: string, details: WrongOption["details"]) => Error,
): <Options extends object>(of: string, options: Options, checks: OptionChecks<Options>) => void {
  return (of, options, checks) => {
    const wrong = wrongOption(of, options, checks as unknown as AnyChecks);
    if (wrong !== undefined) throw fail(wrong.message, wrong.details);
  };
}
