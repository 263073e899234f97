import type { Parameter } from "../../catalogue/parameter.ts";
import type { ParameterReading } from "./parameter-reading.ts";

const extensionOf = (text: string) => /[^/]\.([a-z][a-z0-9]{1,4})$/i.exec(text)?.[1]?.toLowerCase();

/** `/srv/notes`, `~/notes`: no file is named. */
export const isFolder = (text: string) => /^(?:~|\.{1,2})?\/\S*$/.test(text) && extensionOf(text) === undefined;

/** `notes.md`: a file with no folder. */
export const isFile = (text: string) => /^[^\s/\\*?]+\.[a-z][a-z0-9]{1,4}$/i.test(text);

/** A parameter that holds a folder by its name. */
export const namesFolder = ({ words }: Parameter) =>
  words.some((word) => /^(?:repo|root|base|cwd|dir|dirpath|directory|folder|workdir|workspace)$/.test(word));

/** A parameter that holds a file by its name. */
export const namesFile = ({ words }: Parameter) => words.some((word) => /^(?:files?|filenames?)$/.test(word));

const asksFor = ({ words }: Parameter, extension: string | undefined) =>
  extension !== undefined && words.includes(extension);

/** What speaks for a folder as the value of the only parameter that is called after one, beside parameters for files. */
const folderForOnlyFolder = 0.5;

/**
 * Among several parameters for paths: a file goes where its extension is named (`csv_path`), else to a file rather than to a folder
 * (`repo_path`), and a folder to a folder. From -1 to 1.
 */
export function fileAgreement(text: string, reading: ParameterReading, readings: readonly ParameterReading[]): number {
  const { parameter } = reading;
  const rivals = readings.filter((other) => other !== reading && other.shapes.has("path"));
  if (!reading.shapes.has("path") || rivals.length === 0) return 0;
  const extension = extensionOf(text);
  if (asksFor(parameter, extension)) return 1;
  if (rivals.some((other) => asksFor(other.parameter, extension))) return -1;
  if (extension !== undefined) {
    if (namesFolder(parameter) && rivals.some((other) => !namesFolder(other.parameter))) return -1;
    return 0;
  }
  if (!isFolder(text)) return 0;
  if (namesFolder(parameter)) return rivals.some((other) => namesFolder(other.parameter)) ? 0 : folderForOnlyFolder;
  return namesFile(parameter) && rivals.some((other) => namesFolder(other.parameter)) ? -1 : 0;
}
