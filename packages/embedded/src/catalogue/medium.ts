import { stem } from "../language/text/stem.ts";

/** A file of an application: neither image, audio nor video, and no plain text either. */
const otherFiles: ReadonlySet<string> = new Set(
  "pdf csv tsv json xml yaml yml xls xlsx ods ppt pptx odp zip tar gz 7z exe html htm ics sql log".split(" "),
);

/** What a file or a parameter holds, where its name tells. */
export type Medium = "image" | "audio" | "video" | "text";

const media: readonly Medium[] = ["image", "audio", "video", "text"];

/** No nouns of works that are known by their titles: a `song` or a `movie` is rarely a file. */
const nouns: Readonly<Record<Medium, string>> = {
  image: "image picture photo photograph screenshot thumbnail poster portrait logo",
  audio: "audio recording soundtrack",
  video: "video footage",
  text: "text transcript transcription article essay summary caption sentence paragraph lyrics question answer",
};
const extensions: Readonly<Record<Medium, string>> = {
  image: "png jpg jpeg gif bmp tif tiff webp svg heic",
  audio: "mp3 wav flac ogg m4a aac wma aiff",
  video: "mp4 mov avi mkv webm wmv mpg mpeg",
  text: "txt md rtf doc docx odt srt",
};
const byKey = (lists: Readonly<Record<Medium, string>>): ReadonlyMap<string, Medium> =>
  new Map(media.flatMap((medium) => lists[medium].split(" ").map((word) => [word, medium])));
/** Stems of the other nouns of an image or a video: who asks for a photo may get an image. */
export const sameMedium: ReadonlyMap<string, readonly string[]> = new Map(
  (["image", "video"] as const)
    .map((medium) => [...new Set(nouns[medium].split(" ").map(stem))])
    .flatMap((own) => own.map((each) => [each, own.filter((other) => other !== each)])),
);

const byNoun = byKey(nouns);
const byExtension = byKey(extensions);
/** Whether files of some kind are called by this, in small letters: `txt`, `csv`. */
export const isExtension = (word: string): boolean => byExtension.has(word) || otherFiles.has(word);

/** Say how it is handed over, not what it is. */
const handles = /^(?:url|uri|path|file|filename|link|input|output|source|target|content|data|base64|\d+)$/;

/** By the head of a name: `source_image`, `image_url`, `text2`; by `contentMediaType` where the schema has it. */
export function mediumOf(words: readonly string[], contentMediaType?: unknown): Medium | undefined {
  const declared = typeof contentMediaType === "string" ? (contentMediaType.split("/")[0] ?? "") : "";
  if (Object.hasOwn(nouns, declared)) return declared as Medium;
  const head = words.findLast((word) => !handles.test(word));
  return head === undefined ? undefined : byNoun.get(head.replace(/\d+$/, ""));
}

/** By the extension: `talk.wav`; undefined for what is not a file of a known sort. */
export function mediumOfFile(text: string): Medium | undefined {
  const extension = /[^\s.]\.([a-z0-9]{2,5})$/i.exec(text)?.[1];
  return extension === undefined ? undefined : byExtension.get(extension.toLowerCase());
}

/** By the extension: a file that can be no image, no audio and no video, though it may hold text ("spec.pdf"). */
export function isOtherFile(text: string): boolean {
  const extension = /[^\s.]\.([a-z0-9]{2,5})$/i.exec(text)?.[1];
  return extension !== undefined && otherFiles.has(extension.toLowerCase());
}
