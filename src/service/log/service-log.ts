/** The log of a process that keeps running; a logger of pino is one. */
export interface ServiceLog {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  /** Returns a log of which every line has these fields. */
  child(fields: Readonly<Record<string, unknown>>): ServiceLog;
  isLevelEnabled(level: string): boolean;
}

type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;
