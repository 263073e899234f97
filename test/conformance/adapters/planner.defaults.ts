import { scriptedController } from "@planloom/controller/testing";
import { Planner } from "@planloom/planner";

const adapter: ConformanceAdapter = () => new Planner({ controller: scriptedController([]) }).config;
export default adapter;
