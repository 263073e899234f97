import type { Resource } from "@planloom/plan";
import { splitName } from "../language/text/split-name.ts";
import type { Profile } from "./profile.ts";

/** The words for the server that a resource comes from: "google maps" of `google-maps/directions` and of `mcp__google_maps__directions`; "" for none. */
export function serverOf({ id }: Pick<Resource, "id">): string {
  if (/\s/.test(id)) return "";
  const [, named] = /^(?:mcp__)?([\w.-]+?)(?:\/|__)/.exec(id) ?? [];
  return named === undefined ? "" : splitName(named).join(" ");
}

const known = new WeakMap<readonly Profile[], ReadonlyMap<string, ReadonlySet<Profile>>>();

/** The servers that resources come from, by their words; empty where all come from one. O(resources) once. */
export function serversOf(profiles: readonly Profile[]): ReadonlyMap<string, ReadonlySet<Profile>> {
  let found = known.get(profiles);
  if (found === undefined) {
    const servers = Map.groupBy(profiles, ({ resource }) => serverOf(resource));
    servers.delete("");
    found = servers.size < 2 ? new Map() : new Map([...servers].map(([name, own]) => [name, new Set(own)]));
    known.set(profiles, found);
  }
  return found;
}
