// Formats log lines: on a terminal each line of JSON becomes readable text. It replaces pino-pretty and its 13 packages. It has a format
// for lines of requests, and escapes clients' texts, so that no request can send escape sequences to the operator's terminal.
import { styleText } from 'node:util';
import type { bufferLines } from '../output/log.ts';
import { printable } from './shell.ts';

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

/** The output for log lines: formatted on a terminal, otherwise unchanged. */
export function linesFor(
  output: NodeJS.WritableStream & {
    readonly isTTY?: boolean | undefined;
    readonly writableLength?: number | undefined;
  },
): Parameters<typeof bufferLines>[0] {
  if (output.isTTY !== true) return output;
  // With colours if the terminal supports them and NO_COLOR is not set.
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

/** `GET /api/v2/teams 200 3.1 ms`, and the other properties of the request. */
function requestOf(
  { method, path, status, durationMs, host: _, ...rest }: Fields,
  style: Style,
): [string, Fields] {
  const colour = Number(status) >= 500 ? 'red' : Number(status) >= 400 ? 'yellow' : 'green';
  return [`${valueText(method)} ${valueText(path)} ${style(colour, String(status))} ${durationMs} ms`, rest];
}

function pairsOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${textOf(name)}=${valueText(value)}`)
    .join(' ');
}

/** A value without quotes if it is unambiguous, otherwise as JSON, which has no control characters. */
function valueText(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  return typeof value === 'string' && /^[!-~]+$/.test(value) && json.length === value.length + 2
    ? value
    : printable(json);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Object)) return '';
  const { stack, message, type } = error as Fields;
  const text = typeof stack === 'string' ? stack : `${type}: ${message}`;
  // Line by line: a message may quote a client's input.
  return text
    .split('\n')
    .map((line) => `\n    ${textOf(line)}`)
    .join('');
}

/** A text without quotes, with control characters escaped. */
function textOf(value: unknown): string {
  return printable(JSON.stringify(String(value)).slice(1, -1)).replaceAll('\\"', '"');
}
