// Loaded into a process of a test before anything else: its clock is off by PLANLOOM_TEST_SKEW_MS milliseconds.
const skewMs = Number(process.env.PLANLOOM_TEST_SKEW_MS ?? 0);
const RealDate = Date;
const now = () => RealDate.now() + skewMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, self) => Reflect.construct(target, given.length === 0 ? [now()] : given, self) as object,
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
