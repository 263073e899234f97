// The Behavior Controller port, its implementations and models: everything of `@planloom/controller`.
export * from "@planloom/controller";
