// Reads passwords for commands from standard input, never from an argument, which other users of the machine could see; or generates them,
// to be printed once.
import { randomInt } from 'node:crypto';
import { addAbortSignal } from 'node:stream';
import { invalid } from '../errors.ts';
import type { Shell } from './shell.ts';

/** Without letters and digits that look alike. 20 characters out of 54 are 115 bits. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 5;
const MAX_INPUT = 10_000;

/** A random password that can be read out and typed. */
export function createPassword(): string {
  const letter = () => ALPHABET.charAt(randomInt(ALPHABET.length));
  const group = () => Array.from({ length: GROUP_LENGTH }, letter).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** The first line of standard input. @throws AppError `invalid` when there is none */
async function readPassword(shell: Shell): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(shell.signal, shell.stdin())) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (bytes.includes('\n') || size > MAX_INPUT) break;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const [line = ''] = text.split('\n');
  const password = line.replace(/\r$/, '');
  if (password === '')
    throw invalid('password', {
      code: 'required',
      message: 'There is no password on standard input. Pipe one in.',
    });
  return password;
}

/** The password from standard input, or a generated one. `generated` is that password, which the caller must print; otherwise null. */
export async function takePassword(
  shell: Shell,
  fromStdin: true | undefined,
): Promise<{ password: string; generated: string | null }> {
  if (fromStdin) return { password: await readPassword(shell), generated: null };
  const made = createPassword();
  return { password: made, generated: made };
}
