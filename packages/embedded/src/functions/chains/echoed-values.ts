import { sortsOf } from "../../catalogue/acts-of.ts";
import { type Draft, fillValue, key } from "../../draft/draft.ts";

const makes = ({ profile }: Draft) => sortsOf(profile).has("create") || sortsOf(profile).has("add");

/** As likely as the value of the other call. */
const likelihoodOfEcho = 0.9;

/**
 * "Create a rack R in hall H and put a crate into it": the value that an earlier call has under a name is taken again where a later call would
 * take the field of that name from its output. Whether an output holds what was put in is a guess; what the goal says is known.
 * The later call still waits for the earlier one.
 */
export function repeatSaid(drafts: readonly Draft[]): void {
  for (const draft of drafts)
    for (const { parameter, filling } of [...draft.filled.values()]) {
      if (filling.kind !== "link" || filling.link.source === draft) continue;
      const { source, path } = filling.link;
      if (path !== `.${parameter.name}` || parameter.path.length !== 1 || parameter.medium !== undefined) continue;
      if (!makes(source)) continue;
      const said = source.filled.get(key(parameter))?.filling;
      if (said?.kind !== "value" || said.origin?.source !== "goal") continue;
      fillValue(draft, parameter, said.value, {
        source: "earlier",
        likelihood: said.origin.likelihood ?? likelihoodOfEcho,
      });
      draft.after.add(source);
    }
}
