// The table of run options alone: everything of `@planloom/runtime/options`.
export * from "@planloom/runtime/options";
