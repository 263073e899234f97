import { plannerAgent } from "@planloom/compat";
import { validatePlan } from "@planloom/plan";

interface Input {
  readonly plan: unknown;
  readonly tools?: readonly string[];
  readonly query?: string;
}

/** First the form of the plan as written, then, where that is sound, its content against the tools. */
const adapter: ConformanceAdapter<Input> = ({ plan, ...options }, { catalogue }) => {
  const written = plannerAgent.parsePlan(plan);
  const issues = plannerAgent.checkPlan(written, options);
  if (issues.every((issue) => issue.severity !== "error")) {
    issues.push(...validatePlan(plannerAgent.read(written), catalogue));
  }
  const of = (severity: string) => issues.filter((issue) => issue.severity === severity).map((issue) => issue.message);
  return { valid: of("error").length === 0, errors: of("error"), warnings: of("warning") };
};
export default adapter;
