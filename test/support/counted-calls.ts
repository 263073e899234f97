import { registerHooks } from "node:module";
import { vi } from "vitest";

const mark = "counted-calls";
const sources = new URL("../../", import.meta.url).href;

/** What is loaded with the calls of some functions counted. */
export interface CountedCalls<Name extends string> {
  /** One mock for each function; it records the arguments of each call, and the function itself does its work. */
  readonly calls: Readonly<Record<Name, ReturnType<typeof vi.fn>>>;
  /** Loads a module of the repository anew, with all that it imports of the repository. Its files are loaded once for all calls of `load`. */
  load<Module>(specifier: string): Promise<Module>;
  /** What is imported from then on is not counted. */
  [Symbol.dispose](): void;
}

/**
 * Counts calls of functions that modules of the repository import from one another. Test files share what they import, so the modules
 * are loaded a second time, under addresses of their own, and in them the counted functions stand in for the original ones.
 * @param functions the address of the module that exports each function, by its name
 */
export function countedCalls<Name extends string>(functions: Readonly<Record<Name, URL>>): CountedCalls<Name> {
  const names = Object.keys(functions) as Name[];
  const calls = Object.fromEntries(names.map((name) => [name, vi.fn()])) as Record<Name, ReturnType<typeof vi.fn>>;
  const key = `planloom.${mark}.${Object.values<URL>(functions).join()}`;
  Reflect.set(globalThis, Symbol.for(key), calls);
  const counted = new Map(names.map((name) => [functions[name].href, name]));
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isInside = context.parentURL !== undefined && new URL(context.parentURL).searchParams.has(mark);
      const isSource = resolved.url.startsWith(sources) && !resolved.url.includes("/node_modules/");
      if (!isInside || !isSource || new URL(resolved.url).searchParams.has(mark)) return resolved;
      return { ...resolved, url: `${resolved.url}?${mark}` };
    },
    load(url, context, next) {
      const name = url.endsWith(`?${mark}`) ? counted.get(url.slice(0, -mark.length - 1)) : undefined;
      if (name === undefined) return next(url, context);
      const original = JSON.stringify(`${url}=original`);
      const source = `import { ${name} as original } from ${original};
        export * from ${original};
        const calls = globalThis[Symbol.for(${JSON.stringify(key)})];
        export function ${name}(...given) {
          calls[${JSON.stringify(name)}](...given);
          return original(...given);
        }`;
      return { format: "module", source, shortCircuit: true };
    },
  });
  return {
    calls,
    load: (specifier) => import(`${import.meta.resolve(specifier)}?${mark}`),
    [Symbol.dispose]() {
      hooks.deregister();
      Reflect.deleteProperty(globalThis, Symbol.for(key));
    },
  };
}
