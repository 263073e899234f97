/** What a process with an environment of its own needs to start as fast as one that inherits that of the tests. */
export function quickStartEnv(): Record<string, string> {
  const { NODE_OPTIONS } = process.env;
  return { ...compileCacheEnv(), ...(NODE_OPTIONS && { NODE_OPTIONS }) };
}

/** Where a process of whatever version of Node.js finds compiled sources. */
export function compileCacheEnv(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

/** The environment of a process that loads sources and no bundled packages, for tests of which modules are loaded. */
export const sourcesEnv = (): NodeJS.ProcessEnv => ({ ...process.env, NODE_OPTIONS: "" });
