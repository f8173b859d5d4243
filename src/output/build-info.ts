// The version of the gateway, and the commit that it was built from.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface BuildInfo {
  readonly version: string;
  /** Empty if unknown. */
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

/** Reads the version and the commit once. The commit is in package.json if the package was packed, and in Git's files for a clone. */
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

/** The commit that is checked out. In a worktree, `.git` is a file with the path of its folder. */
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
