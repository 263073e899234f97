/** A part of the sources whose tests are tested, and the test files that speak of it. Paths from the root of the repository. */
export interface Area {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

/** The parts where a fault would be quiet: what judges plans, decides what runs next, and proves bounds. */
export const areas: Readonly<Record<string, Area>> = {
  references: {
    mutate: ["packages/plan/src/references/*.ts"],
    tests: ["test/plan/refer*.test.ts", "test/plan/secrets.test.ts"],
  },
  validation: {
    mutate: ["packages/plan/src/validation/*.ts"],
    tests: [
      "test/plan/assignable.test.ts",
      "test/plan/check-*.test.ts",
      "test/plan/control-flow.test.ts",
      "test/plan/schema-budget.test.ts",
      "test/plan/unread-fields.test.ts",
      "test/plan/validat*.test.ts",
    ],
  },
  core: { mutate: ["packages/runtime/src/core/*.ts"], tests: ["test/runtime/core/*.test.ts"] },
  exact: { mutate: ["packages/optimizer/src/exact/*.ts"], tests: ["test/optimizer/exact/*.test.ts"] },
  bounds: {
    mutate: ["packages/optimizer/src/bounds/*.ts", "packages/optimizer/src/lower-bound.ts"],
    tests: ["test/optimizer/bounds.test.ts", "test/optimizer/part-ends.test.ts"],
  },
  verify: {
    mutate: ["packages/optimizer/src/verify.ts", "packages/optimizer/src/verify-parts.ts"],
    tests: ["test/optimizer/verify*.test.ts"],
  },
  repair: { mutate: ["packages/optimizer/src/repair/*.ts"], tests: ["test/optimizer/repair*.test.ts"] },
};
