// The terminal sessions in the README and the guides: commands and their output. Pure.
import { spawnSync } from 'node:child_process';
import { type Block, blocksOf } from './markdown.ts';

/** One action of a reader, with the printed outcome. */
export interface Step {
  readonly kind: 'command' | 'start' | 'person';
  /** The command; what the person presses. */
  readonly text: string;
  /** '' when nothing is printed. */
  readonly printed: string;
  /** Of the block, from 1. */
  readonly line: number;
}

/** Fences without a language, or with one of these, hold commands. Others hold files. */
const TERMINAL = ['', 'sh', 'bash', 'console'];

/**
 * The steps of a document, in order. A block of a terminal is a session (`$ command`, below it what is printed), or the comment
 * above it says what else it is:
 * - `not run: REASON`
 * - `printed by npm start`
 * - `the person allows` or `the person refuses`: where the browser ends after the address that was printed last
 * @throws Error naming the line of a block that is none of these
 */
export function stepsOf(markdown: string): Step[] {
  return blocksOf(markdown)
    .filter(({ language }) => TERMINAL.includes(language))
    .flatMap(toSteps);
}

function toSteps({ text, line, comment }: Block): Step[] {
  if (/^not run: ./.test(comment)) return [];
  if (comment === 'printed by npm start') return [{ kind: 'start', text: '', printed: text, line }];
  const [, pressed] = /^the person (allows|refuses)$/.exec(comment) ?? [];
  if (pressed !== undefined) return [{ kind: 'person', text: pressed, printed: text, line }];
  if (comment !== '' || !text.startsWith('$ ')) throw new Error(`Line ${line}: what is this block?`);
  return commandsOf(text.trimEnd().split('\n'), line);
}

function commandsOf(lines: readonly string[], line: number): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < lines.length; ) {
    let command = (lines[i++] ?? '').slice(2);
    while (!isWhole(command) && i < lines.length) command += `\n${lines[i++]}`;
    const next = lines.findIndex((text, n) => n >= i && text.startsWith('$ '));
    const end = next < 0 ? lines.length : next;
    steps.push({ kind: 'command', text: command, printed: lines.slice(i, end).join('\n'), line });
    i = end;
  }
  return steps;
}

/** Whether bash could run it: no quote, bracket or line is left open. Only what spans lines is asked about. */
function isWhole(command: string): boolean {
  if (!/['"\\({]|<</.test(command)) return true;
  const { status, stderr } = spawnSync('bash', ['-n'], { input: command, encoding: 'utf8' });
  return status === 0 && stderr === '' && !command.endsWith('\\');
}
