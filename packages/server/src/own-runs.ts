/**
 * What the metadata of a run says that a server began. Of a home that others use too (the command line, with other tools), a server resumes by itself
 * these alone.
 */
export const ownRuns = { via: "server" } as const;

export function isBegunByServer(metadata: Readonly<Record<string, unknown>> | undefined): boolean {
  return metadata?.via === ownRuns.via;
}
