// Grouping a plan into subgraphs: everything of `@planloom/optimizer`.
export * from "@planloom/optimizer";
