import { dependenciesOn, type WorkloadTask } from "../workload.ts";
import { malformed, type TextFormat, typeOf, usualMs, workOf } from "./text-format.ts";

interface Job {
  readonly id: string;
  readonly type: string;
  readonly seconds: number | undefined;
  readonly outputBytes: number;
}

/**
 * Abstract workflows of Pegasus (DAX 2 and 3), such as those of its gallery of synthetic workflows: `job` with `runtime` in seconds and `uses` with `link="output"` and
 * `size` in bytes, `child` with its `parent`s. A job without a runtime takes the mean of the others, or a second.
 */
export const dax: TextFormat = {
  title: "DAX",
  family: "dax",
  recognises: (text) => /^\s*<[\s\S]{0,20000}?<adag[\s>]|^\s*<adag[\s>]/.test(text),
  async read(text, name) {
    const { DOMParser } = await import("linkedom");
    const document = new DOMParser().parseFromString(text, "text/xml");
    const root = [...document.getElementsByTagName("adag")][0];
    if (root === undefined || !/<\/adag\s*>\s*(<!--[\s\S]*-->\s*)?$/.test(text)) {
      throw malformed("DAX", name, "its end", "</adag>", text.trim().slice(-40));
    }
    const jobs = [...root.getElementsByTagName("job")].map((each) => jobOf(each, name));
    const usual = usualMs(jobs.flatMap(({ seconds }) => (seconds === undefined ? [] : [seconds * 1000])));
    const parents = new Map<string, string[]>();
    for (const child of root.getElementsByTagName("child")) {
      const ref = child.getAttribute("ref") ?? "";
      const own = [...child.getElementsByTagName("parent")].map((parent) => parent.getAttribute("ref") ?? "");
      parents.set(ref, [...(parents.get(ref) ?? []), ...own]);
    }
    const index = new Map(jobs.map(({ id }, at) => [id, at]));
    const nobody = [...parents.keys()].find((id) => !index.has(id));
    if (nobody !== undefined) throw malformed("DAX", name, "<child>", "the id of a job", nobody);
    const tasks = jobs.map(
      ({ id, type, seconds, outputBytes }): WorkloadTask => ({
        id,
        type,
        outputBytes,
        ...workOf(seconds === undefined ? undefined : seconds * 1000, usual),
        ...dependenciesOn([...new Set(parents.get(id))], index),
      }),
    );
    const own = root.getAttribute("name");
    return { tasks, ...(own ? { name: own } : {}) };
  },
};

/** As much of an element as is read here. */
interface XmlElement {
  getAttribute(name: string): string | null;
  getElementsByTagName(name: string): Iterable<XmlElement>;
}

function jobOf(element: XmlElement, name: string): Job {
  const id = element.getAttribute("id");
  if (!id) throw malformed("DAX", name, "<job>", "an id", element.getAttribute("name") ?? "");
  const runtime = element.getAttribute("runtime");
  const seconds = runtime === null ? undefined : Number(runtime);
  if (seconds !== undefined && !(seconds >= 0)) {
    throw malformed("DAX", name, `job ${id}`, "a runtime in seconds", runtime ?? "");
  }
  let outputBytes = 0;
  for (const uses of element.getElementsByTagName("uses")) {
    if (uses.getAttribute("link") !== "output") continue;
    const size = Number(uses.getAttribute("size") ?? 0);
    if (!(size >= 0)) throw malformed("DAX", name, `job ${id}`, "a size in bytes", uses.getAttribute("size") ?? "");
    outputBytes += size;
  }
  return { id, type: element.getAttribute("name") ?? typeOf(id), seconds, outputBytes };
}
