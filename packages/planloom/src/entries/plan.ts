// Records, references, validation, patches, dialects, rendering: everything of `@planloom/plan`.
export * from "@planloom/plan";
