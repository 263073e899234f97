/** What a process with an environment of its own needs to start as fast as one that inherits that of the tests. */
export function quickStartEnv(): Record<string, string> {
  const { NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  return { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...(NODE_OPTIONS && { NODE_OPTIONS }) };
}

/** The environment of a process that loads sources and no bundled packages, for tests of which modules are loaded. */
export const sourcesEnv = (): NodeJS.ProcessEnv => ({ ...process.env, NODE_OPTIONS: "" });
