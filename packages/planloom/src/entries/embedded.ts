// Planning and binding with no model: everything of `@planloom/embedded`.
export * from "@planloom/embedded";
