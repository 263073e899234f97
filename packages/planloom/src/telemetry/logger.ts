/** What a line of the log is about, as plain JSON; `err` is an error. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where an instance writes what happens; a `pino` logger fits, and so does any other with these methods. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger whose lines have these fields too. @default the fields are in each line */
  child?(fields: LogFields): Logger;
}
