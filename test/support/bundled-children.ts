// Processes that tests start load bundled packages; the tests themselves run the sources.
const hook = process.env.PLANLOOM_TEST_HOOK;
if (hook !== undefined && !process.env.NODE_OPTIONS?.includes(hook)) {
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --import=${hook}`.trim();
}
