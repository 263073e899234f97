import { PlanView, planViewFromEdges, readElementId } from "@planloom/plan";
import type { ElementWindow } from "../core/element-window.ts";

import type { Elements } from "./elements.ts";
/** A view without edges, whose ids are those of the elements that its numbers mean now. */
export function elementView(store: Elements, window: ElementWindow): PlanView {
  const n = window.elements.length;
  const flat = planViewFromEdges({ n, from: [], to: [] });
  const names = {
    get ids() {
      return Array.from({ length: n }, (_, number) => store.idOf(number));
    },
    indexOf(id: string) {
      const element = readElementId(id);
      return element === undefined || element.taskId !== store.taskId ? -1 : store.numberOf(element.index);
    },
  };
  return new PlanView(n, names, flat, flat);
}
