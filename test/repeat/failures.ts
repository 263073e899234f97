import { relative } from "node:path";

/** What is read of Vitest's report in JSON. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

export interface Failure {
  /** `FILE > TEST`, or the file alone where it could not be loaded. */
  readonly test: string;
  /** The first line of the first message. */
  readonly message: string;
}

/** Tests that failed, and files that failed outside of a test, in the order of the report. */
export function failuresOf({ testResults }: Report, root: string): Failure[] {
  const firstLine = (text: string | undefined) => text?.split("\n")[0] ?? "";
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const tests = assertionResults
      .filter((each) => each.status === "failed")
      .map(({ fullName, failureMessages }) => ({
        test: `${file} > ${fullName}`,
        message: firstLine(failureMessages?.[0]),
      }));
    return status === "failed" && tests.length === 0 ? [{ test: file, message: firstLine(message) }] : tests;
  });
}
