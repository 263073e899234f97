/** Where the server writes what happens: a `pino` logger fits, and so does `console` in a pinch. */
export interface Log {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
  error(about: object, message: string): void;
}

export const noLog: Log = { info() {}, warn() {}, error() {} };
