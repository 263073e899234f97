import { resolveTemporal } from "@planloom/embedded";

interface Input {
  readonly reference: string;
  readonly now: string;
  readonly timeZone?: string;
}

const adapter: ConformanceAdapter<Input> = ({ reference, now, timeZone = "UTC" }) =>
  resolveTemporal(reference, { now, timeZone });
export default adapter;
