import { scriptedController } from "@planloom/controller/testing";
import { Planner } from "@planloom/planner";

/** Ours is called `maxAttempts`, since it counts the first attempt too. */
const adapter: ConformanceAdapter = () => {
  const { maxAttempts: maxRetries, ...others } = new Planner({ controller: scriptedController([]) }).config;
  return { maxRetries, ...others };
};
export default adapter;
