import { isWithinRange } from "@planloom/embedded";

interface Input {
  readonly date: string;
  readonly date_from: string;
  readonly date_to: string;
}

const adapter: ConformanceAdapter<Input> = ({ date, date_from, date_to }) => ({
  inRange: isWithinRange(date, { date_from, date_to }),
});
export default adapter;
