// Which version of the gateway this is, and which commit it was made of.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface BuildInfo {
  readonly version: string;
  /** Empty where it is not known. */
  readonly commit: string;
}

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

let info: BuildInfo | undefined;

/** Reads it once. Of a package that was packed, package.json has the commit; of a clone, Git's files. */
export function buildInfo(): BuildInfo {
  if (info === undefined) {
    const { version, gitHead } = JSON.parse(read(pathOf('package.json'))) as {
      version: string;
      gitHead?: string;
    };
    info = { version, commit: (gitHead ?? headOf(pathOf('.git'))).slice(0, 12) };
  }
  return info;
}

/** The commit that is checked out; a worktree has a file that names its folder. */
function headOf(git: string): string {
  const folder = /^gitdir: (.*)$/.exec(read(git))?.[1] ?? git;
  const head = read(`${folder}/HEAD`);
  const [, ref] = /^ref: (.*)$/.exec(head) ?? [];
  if (ref === undefined) return head;
  const common = read(`${folder}/commondir`);
  const main = common === '' ? folder : `${folder}/${common}`;
  const packed = read(`${main}/packed-refs`)
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return read(`${main}/${ref}`) || (packed?.split(' ', 1)[0] ?? '');
}
