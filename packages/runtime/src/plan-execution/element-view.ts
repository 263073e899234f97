import { PlanView, planViewFromEdges, readElementId } from "@planloom/plan";
import type { ElementWindow } from "../core/element-window.ts";
import type { Elements } from "./elements.ts";

/** The view without edges that was made last: lists within a list have the same width, one after the other. */
let flatView = planViewFromEdges({ n: 0, from: [], to: [] });

/** A view without edges, whose ids are those of the elements that its numbers mean now. */
export function elementView(store: Elements, window: ElementWindow): PlanView {
  const n = window.elements.length;
  if (flatView.n !== n) flatView = planViewFromEdges({ n, from: [], to: [] });
  const names = {
    get ids() {
      return Array.from({ length: n }, (_, number) => store.idOf(number));
    },
    indexOf(id: string) {
      const element = readElementId(id);
      return element === undefined || element.taskId !== store.taskId ? -1 : store.numberOf(element.index);
    },
  };
  return new PlanView(n, names, flatView, flatView);
}
