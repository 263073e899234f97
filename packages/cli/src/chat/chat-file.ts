import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelMessage } from "planloom/controller";
import type { Budget } from "planloom/runtime";
import { z } from "zod";
import { CliError, CliErrorCode } from "../errors.ts";
import { planloomHome } from "../home.ts";
import type { CliIo } from "../io.ts";
import { makeOwnFolder } from "../own-folder.ts";
import { theOnlyOne } from "../the-only-one.ts";

const message = z.looseObject({ role: z.enum(["user", "assistant", "tool"]), content: z.string() });

const amounts = z.object({
  calls: z.number().optional(),
  tokens: z.number().optional(),
  cost: z.number().optional(),
  seconds: z.number().optional(),
});

const chatFile = z.object({
  version: z.literal(1),
  chat_id: z.string().min(1).max(100),
  title: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Without the instructions of the system. */
  messages: z.array(message),
  /** What the conversation and its plans may use in all, and what they have used. */
  budget: amounts.optional(),
  used: amounts.default({}),
  /** A turn that waits for a person. */
  pending: z.object({ run_id: z.string(), text: z.string() }).optional(),
});

/** A conversation as it is kept: one file below `chats` of PLANLOOM_HOME. */
export type Chat = Omit<z.infer<typeof chatFile>, "messages" | "budget" | "used"> & {
  messages: ModelMessage[];
  budget?: Budget | undefined;
  used: Budget;
};

const folderOf = (io: CliIo): string => join(planloomHome(io), "chats");

export function newChat(): Chat {
  const now = new Date().toISOString();
  const chat_id = randomUUID().slice(0, 8);
  return { version: 1, chat_id, title: "", created_at: now, updated_at: now, messages: [], used: {} };
}

/** Writes the conversation; a process that dies meanwhile leaves the file as it was. @throws CliError CONFIG where the folder cannot be written */
export async function saveChat(chat: Chat, io: CliIo): Promise<void> {
  const folder = folderOf(io);
  await makeOwnFolder(folder, "Set PLANLOOM_HOME to a folder that can be written.");
  const file = join(folder, `${chat.chat_id}.json`);
  const written = `${file}.${process.pid}.tmp`;
  await writeFile(written, JSON.stringify({ ...chat, updated_at: new Date().toISOString() }), { mode: 0o600 });
  await rename(written, file);
}

/** The conversations that are kept, the newest first; a file that cannot be read is left out. */
export async function listChats(io: CliIo): Promise<readonly Chat[]> {
  const names = await readdir(folderOf(io)).catch(() => []);
  const ids = names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length));
  const chats = await Promise.all(ids.map((id) => readChat(id, io).catch(() => undefined)));
  return chats
    .filter((chat) => chat !== undefined)
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0));
}

/** The conversation whose id begins so, or the newest one. @throws CliError NOT_FOUND, AMBIGUOUS, CONFIG */
export async function findChat(prefix: string | true, io: CliIo): Promise<Chat> {
  const chats = await listChats(io);
  const found =
    prefix === true
      ? chats[0]
      : theOnlyOne(
          prefix,
          chats.map((chat) => ({ id: chat.chat_id, chat })).filter(({ id }) => id.startsWith(prefix)),
          "conversations",
        )?.chat;
  if (found !== undefined) return found;
  const message =
    prefix === true ? "There is no conversation yet." : `No conversation begins with ${JSON.stringify(prefix)}.`;
  throw new CliError(CliErrorCode.NOT_FOUND, message, { hint: "planloom chat --list shows them." });
}

async function readChat(id: string, io: CliIo): Promise<Chat> {
  const read = chatFile.parse(JSON.parse(await readFile(join(folderOf(io), `${id}.json`), "utf8")));
  return read as Chat;
}
