import type { EnumValue, Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";

/**
 * The profiles, where numbers that one tool explains ("priority: 1 = urgent, 2 = high, …") also have their meaning in tools of the same server that name the
 * argument alike and explain it nowhere. Linear in the parameters.
 */
export function withSharedLegends(profiles: readonly Profile[]): readonly Profile[] {
  const legends = new Map<string, readonly EnumValue[]>();
  for (const profile of profiles)
    for (const parameter of profile.parameters)
      if (
        isNumber(parameter) &&
        parameter.choices.length > 0 &&
        parameter.choices.every(({ meaning }) => meaning.length > 0)
      )
        legends.set(slotOf(profile, parameter), parameter.choices);
  if (legends.size === 0) return profiles;
  return profiles.map((profile) => {
    const known = (parameter: Parameter) =>
      isNumber(parameter) && parameter.choices.length === 0 ? legends.get(slotOf(profile, parameter)) : undefined;
    if (!profile.parameters.some((each) => known(each) !== undefined)) return profile;
    const parameters = profile.parameters.map((each) => ({ ...each, choices: known(each) ?? each.choices }));
    return { ...profile, parameters };
  });
}

const isNumber = ({ types }: Parameter): boolean =>
  types.size > 0 && [...types].every((type) => type === "number" || type === "integer");

/** Tools of one server, or without one, and the last name of the argument. */
const slotOf = ({ resource }: Profile, { name }: Parameter): string =>
  `${resource.id.includes("/") ? resource.id.slice(0, resource.id.lastIndexOf("/")) : ""} ${name}`;
