/** The folder in which mcp-cli keeps plans by default. */
const defaultFolder = "~/.mcp-cli/plans";

/** The files of a plan in a folder that mcp-cli uses: the plan, and what a run of it had completed. */
export function mcpCliStoreFiles(
  id: string,
  folder: string = defaultFolder,
): { readonly plans: string; readonly state: string } {
  return { plans: `${folder}/${id}.json`, state: `${folder}/${id}_state.json` };
}
