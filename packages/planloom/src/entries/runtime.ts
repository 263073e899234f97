// Running plans without a `Planloom`: everything of `@planloom/runtime`.
export * from "@planloom/runtime";
