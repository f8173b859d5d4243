// Log lines for people: on a terminal each line of JSON becomes one that can be read. A formatter of our own, in place of pino-pretty with
// its 13 packages: it knows the lines of requests, and it keeps what clients chose escaped, so that no request can send escape
// sequences to the operator's terminal.
import { styleText } from 'node:util';
import type { bufferLines } from '../output/log.ts';

type Fields = Record<string, unknown>;

type Style = (format: 'dim' | 'red' | 'yellow' | 'green' | 'blue' | 'gray' | 'white', text: string) => string;

const LEVELS = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'blue',
  trace: 'gray',
} as const;

/** Where to write log lines to: to a terminal for people, to anything else as they are. */
export function linesFor(
  output: NodeJS.WritableStream & {
    readonly isTTY?: boolean | undefined;
    readonly writableLength?: number | undefined;
  },
): Parameters<typeof bufferLines>[0] {
  if (output.isTTY !== true) return output;
  // In colours as far as the terminal has them, and NO_COLOR does not say otherwise.
  const style: Style = (format, text) => styleText(format, text, { stream: output });
  return {
    write: (text, written) =>
      output.write(
        text
          .split('\n')
          .map((line) => (line === '' ? '' : toPrettyLine(line, style)))
          .join('\n'),
        written,
      ),
  };
}

function toPrettyLine(json: string, style: Style): string {
  let fields: Fields;
  try {
    fields = JSON.parse(json) as Fields;
  } catch {
    return json;
  }
  const { level, time, msg, err, ...others } = fields;
  const label = String(level).padEnd(5);
  const at = style('dim', String(time).slice(11, 23));
  const [what, rest] = msg === 'request' ? requestOf(others, style) : [textOf(msg), others];
  const colour = LEVELS[level as keyof typeof LEVELS] ?? 'white';
  return [at, style(colour, label), what, style('dim', pairsOf(rest)), stackOf(err)]
    .filter((part) => part !== '')
    .join(' ');
}

/** `GET /api/v2/teams 200 3.1 ms`, and what else there is to say of the request. */
function requestOf(
  { method, path, status, durationMs, host: _, ...rest }: Fields,
  style: Style,
): [string, Fields] {
  const colour = Number(status) >= 500 ? 'red' : Number(status) >= 400 ? 'yellow' : 'green';
  return [`${shown(method)} ${shown(path)} ${style(colour, String(status))} ${durationMs} ms`, rest];
}

function pairsOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${textOf(name)}=${shown(value)}`)
    .join(' ');
}

/** A value without quotes where that is clear, else as JSON, which has no control characters. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  return typeof value === 'string' && /^[!-~]+$/.test(value) && json.length === value.length + 2
    ? value
    : escaped(json);
}

/** Control characters that JSON leaves as they are (U+007F to U+009F), and what changes the direction of text. */
function escaped(text: string): string {
  return text.replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function stackOf(error: unknown): string {
  if (!(error instanceof Object)) return '';
  const { stack, message, type } = error as Fields;
  const text = typeof stack === 'string' ? stack : `${type}: ${message}`;
  // Line by line: a message may quote what a client sent.
  return text
    .split('\n')
    .map((line) => `\n    ${textOf(line)}`)
    .join('');
}

/** A text without quotes around it, in which control characters are escaped. */
function textOf(value: unknown): string {
  return escaped(JSON.stringify(String(value)).slice(1, -1)).replaceAll('\\"', '"');
}
