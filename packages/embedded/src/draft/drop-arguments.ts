import { allows } from "../catalogue/allows.ts";
import { pathText } from "../catalogue/parameter.ts";
import { type Draft, hasItems, isFilled } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/** No argument that its schema forbids; what the goal said of it is reported. */
export function dropForbidden(drafts: readonly Draft[], planning: PlanningState): void {
  for (const draft of drafts) {
    for (const [slot, { parameter, filling }] of draft.filled) {
      if (filling.kind !== "value" || allows(parameter, filling.value)) continue;
      draft.filled.delete(slot);
      const text = filling.origin?.text ?? String(filling.value);
      const message = `\`${draft.profile.label}\` does not allow "${text}" for \`${pathText(parameter.path)}\`; it was left out.`;
      planning.unresolved.push({ reason: "no_parameter", text, message, draft });
    }
  }
}

/** What to do about a credential. */
export const namedSecret =
  'name it in the plan as {"$secret": "NAME"}, since no text of a goal is used as a credential';

/**
 * No text in a credential, where it would be kept with the plan; values may compete for it until here, so that a password that a goal
 * says goes into no other argument.
 */
export function dropCredentials(drafts: readonly Draft[], planning: PlanningState): void {
  for (const draft of drafts) {
    for (const [slot, { parameter, filling }] of draft.filled) {
      if (!parameter.isCredential || filling.kind === "link") continue;
      draft.filled.delete(slot);
      // A required one is reported as missing.
      if (parameter.required) continue;
      const name = pathText(parameter.path);
      const message = `\`${draft.profile.label}\` takes \`${name}\` as a secret only; ${namedSecret}.`;
      planning.unresolved.push({ reason: "no_parameter", text: name, message, draft });
    }
  }
}

/** No object in an optional list that lacks a field which it needs; what the goal said of it is reported. */
export function dropPartialItems(drafts: readonly Draft[], planning: PlanningState): void {
  for (const draft of drafts) {
    const { parameters } = draft.profile;
    for (const list of parameters.filter((parameter) => !parameter.required && hasItems(draft, parameter.path))) {
      const slot = JSON.stringify(list.path);
      const fields = parameters.filter((parameter) => JSON.stringify(parameter.list) === slot);
      const lacking = fields.filter((field) => field.requiredInItem === true && !isFilled(draft, field));
      if (lacking.length === 0) continue;
      for (const [own, { parameter, filling }] of draft.filled) {
        if (JSON.stringify(parameter.list) !== slot) continue;
        draft.filled.delete(own);
        const text =
          filling.kind === "value" ? (filling.origin?.text ?? String(filling.value)) : pathText(parameter.path);
        const names = lacking.map(({ path }) => `\`${pathText(path)}\``).join(", ");
        const message = `\`${draft.profile.label}\` needs ${names} beside \`${pathText(parameter.path)}\`; "${text}" was left out.`;
        planning.unresolved.push({ reason: "no_parameter", text, message, draft });
      }
    }
  }
}
