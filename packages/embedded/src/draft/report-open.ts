import { pathText } from "../catalogue/parameter.ts";
import type { Draft } from "./draft.ts";
import { namedSecret } from "./drop-arguments.ts";
import { missingArguments } from "./tasks.ts";
import type { Unresolved } from "./unresolved.ts";

/** An argument that holds one id, fed by a list: the rest of the list is left out. */
export function reportFirstOnly(draft: Draft, ids: ReadonlyMap<Draft, string>): Unresolved[] {
  return [...draft.filled.values()].flatMap(({ parameter, filling }) => {
    if (filling.kind !== "link" || filling.link.one === true || !filling.link.path.includes("[0]")) return [];
    const name = pathText(parameter.path);
    const source = ids.get(filling.link.source) ?? "";
    const task = ids.get(draft) ?? "";
    const message = `\`${draft.profile.label}\` takes one \`${name}\`, so only the first row of \`${source}\` is used.`;
    return [{ reason: "first_only", text: name, message, task_id: task }];
  });
}

/**
 * One thing that is looked up by nothing that the goal says: whichever it finds is used. A tool that lists is none, nor one that takes nothing to look it up by.
 */
export function reportUnsought(draft: Draft, ids: ReadonlyMap<Draft, string>): Unresolved[] {
  return [...draft.filled.values()].flatMap(({ parameter, filling }) => {
    if (filling.kind !== "link" || !parameter.isIdentifier) return [];
    const { source } = filling.link;
    const { profile, support, filled } = source;
    const mayAsk = profile.parameters.length > 0 && profile.output.known && !profile.output.many;
    if (!support || filled.size > 0 || !mayAsk || missingArguments(source).length > 0) return [];
    const name = pathText(parameter.path);
    const message = `\`${draft.profile.label}\` needs \`${name}\`, and the goal does not say which one \`${profile.label}\` is to find.`;
    return [{ reason: "missing_argument", text: name, message, task_id: ids.get(draft) ?? "" }];
  });
}

/** Required arguments that nothing fills. */
export function reportMissing(draft: Draft, ids: ReadonlyMap<Draft, string>): Unresolved[] {
  return missingArguments(draft).map((parameter) => {
    const name = pathText(parameter.path);
    const task = ids.get(draft) ?? "";
    const hint = parameter.description === "" ? "" : ` (${parameter.description.slice(0, 120).replace(/\.$/, "")})`;
    const why = parameter.isCredential ? namedSecret : "the goal does not say it and no task before yields it";
    const message = `\`${draft.profile.label}\` needs \`${name}\`${hint}; ${why}.`;
    return { reason: "missing_argument", text: name, message, task_id: task };
  });
}
