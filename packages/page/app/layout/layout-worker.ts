import { layoutPlan, type PlanShape } from "./layout-plan.ts";

// The page stays responsive while a large plan is laid out.
self.addEventListener("message", ({ data }: MessageEvent<PlanShape>) => self.postMessage(layoutPlan(data)));
