import type { PlanView } from "../graph/plan-view.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { Charset, Paint } from "./ascii-style.ts";

/** Everything the drawing functions share. */
export interface Canvas {
  readonly view: PlanView;
  readonly tasks: readonly PlannerTask[];
  readonly levels: Int32Array;
  readonly characters: Charset;
  readonly paint: Paint;
  readonly width: number;
  readonly unicode: boolean;
}
