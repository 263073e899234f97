export { type CollectOptions, collectPageData, planPageData } from "./collect-page-data.ts";
export type { PageData, PageDraft, PagePlan, PageRun, PageTask } from "./page-data.ts";
export { pageHtml } from "./page-html.ts";
