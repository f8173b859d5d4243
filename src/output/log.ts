// Loggers: JSON lines with pino. Credentials are redacted here, wherever they are logged.
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const MAX_CAUSES = 3;
const MAX_STACK_CHARS = 4_000;
const MAX_MESSAGE_CHARS = 1_000;

/** The error properties to log. Others may contain whole connections, or the values of a row. */
const DETAILS = ['code', 'statement', 'constraint', 'table', 'severity'] as const;

/** The logged form of an error: its name and message, where it was thrown, and its causes. */
function serializeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: String(error).slice(0, MAX_MESSAGE_CHARS) };
  const { name, message, stack, cause } = error;
  const details = DETAILS.map((key) => [key, (error as unknown as Record<string, unknown>)[key]]);
  return {
    type: name,
    message: message.slice(0, MAX_MESSAGE_CHARS),
    ...Object.fromEntries(details.filter(([, value]) => typeof value === 'string')),
    stack: stack?.slice(0, MAX_STACK_CHARS),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: serializeError(cause, depth + 1) }),
  };
}

const REDACTED = ['authorization', 'cookie', 'token', 'password', 'secret', 'databaseUrl'];

const FORM = {
  base: null,
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  formatters: { level: (label: string) => ({ level: label }) },
  serializers: { err: serializeError },
};

/** A logger that writes lines of JSON to `destination` (standard output by default), without secrets. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const paths = REDACTED.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  const options = { ...FORM, level, redact: { paths, censor: '[redacted]' } };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** A logger without redaction, for frequent lines with a fixed form and no secrets, such as the line for each request. */
export function createAccessLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino({ ...FORM, level }, destination);
}

/** Limits the rate of a logger's lines. The first line after dropped ones has their number in `unlogged`. */
export function limitLines(
  log: Logger,
  linesPerSecond: number,
  clock: () => Date,
  level: 'info' | 'error' = 'info',
): Logger['info'] {
  let second = 0;
  let written = 0;
  let unlogged = 0;
  return (line: object, message?: string) => {
    const now = Math.floor(clock().getTime() / 1_000);
    if (now !== second) written = 0;
    second = now;
    if (written >= linesPerSecond) {
      unlogged += 1;
      return;
    }
    log[level](unlogged === 0 ? line : { ...line, unlogged }, message);
    written += 1;
    unlogged = 0;
  };
}

const MAX_BUFFERED_CHARS = 16_384;
const MAX_DELAY_MS = 100;
/** Lines are dropped while the log's reader has more unread bytes than this. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** The output for lines. `writableLength` is the amount that its reader has not taken yet; a terminal takes everything at once. */
interface LineOutput {
  /** @param written called with an error if the line could not be written */
  write(text: string, written?: (error?: Error | null) => void): unknown;
  readonly writableLength?: number | undefined;
}

/**
 * Buffers lines for up to 100 ms, so that a busy gateway needs less than one system call per request for its log. If the reader of a pipe
 * or socket stalls, lines stay in memory up to a limit; further lines are dropped. Lines that cannot be written, as to a full disk, are
 * dropped too. A line reports the number of dropped lines as soon as output works again.
 * @param maxWritten the most characters of one write, unless a line is longer
 */
export function bufferLines(
  output: LineOutput,
  maxWritten: number = MAX_BUFFERED_CHARS,
): DestinationStream & { flush(): void } {
  let buffered = '';
  let lines = 0;
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (lines === 0) return;
    if ((output.writableLength ?? 0) > MAX_UNREAD_BYTES) lost += lines;
    else {
      const written = lines + lost;
      const text = lost === 0 ? buffered : `${lineOfLoss(lost)}${buffered}`;
      lost = 0;
      output.write(text, (error) => {
        if (error) lost += written;
      });
    }
    buffered = '';
    lines = 0;
  }
  return {
    flush,
    write(line) {
      if (buffered.length + line.length > maxWritten) flush();
      buffered += line;
      lines += 1;
      if (buffered.length >= maxWritten) flush();
      else timer ??= setTimeout(flush, MAX_DELAY_MS).unref();
    },
  };
}

function lineOfLoss(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'lines of the log were lost: nobody took them' })}\n`;
}
