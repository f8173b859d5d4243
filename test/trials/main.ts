// `npm run trial -- NAME`: something that takes longer, or needs more of the machine, than a test may. Each prints its figures
// and ends with 1 when what it shows does not hold. Without a name, they are listed.
import { readdir, readFile } from 'node:fs/promises';
import { ignoreClosedPipes } from '../../src/output/closed-pipe.ts';
import { say } from './say.ts';

ignoreClosedPipes(process.stdout, process.stderr);

const folder = new URL('./', import.meta.url);
const files = await readdir(folder);
const names = files.filter((file) => file.endsWith('.trial.ts')).map((file) => file.replace('.trial.ts', ''));
const [name] = process.argv.slice(2);
if (name === undefined) {
  for (const each of names.sort()) say(`${each.padEnd(20)} ${await purposeOf(each)}`);
} else if (names.includes(name)) {
  await import(new URL(`${name}.trial.ts`, folder).href);
} else {
  say(`There is no trial "${name}". There are: ${names.join(', ')}.`);
  process.exitCode = 2;
}

/** The first sentence of its comment. */
async function purposeOf(trial: string): Promise<string> {
  const text = await readFile(new URL(`${trial}.trial.ts`, folder), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('// '));
  return (
    lines
      .map((line) => line.slice(3))
      .join(' ')
      .split(/(?<=\.) /)[0] ?? ''
  );
}
