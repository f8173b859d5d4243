// Plays a Dockerfile without a container engine: its COPY and RUN in folders, a folder a stage, and the environment, the health check
// and the command of the last one. It knows as much of the language as deploy/Dockerfile uses, and throws at the rest.
import { cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

export interface Image {
  /** What is `/` in the image. */
  readonly root: string;
  readonly workdir: string;
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: readonly string[];
  /** ENTRYPOINT and CMD. */
  readonly command: readonly string[];
}

interface Options {
  /** The build context. */
  readonly context: string;
  /** Below which the stages are made. */
  readonly folder: string;
  run(script: string, cwd: string): Promise<void>;
}

/** Builds all stages of a Dockerfile; the last one is the image. */
export async function play(dockerfile: string, { context, folder, run }: Options): Promise<Image> {
  const stages = new Map<string, string>();
  let image = emptyStage('');
  for (const [instruction, rest] of instructionsOf(dockerfile)) {
    const at = (path: string) => join(image.root, path.startsWith('/') ? path : join(image.workdir, path));
    switch (instruction) {
      case 'FROM': {
        const name = / AS (\S+)$/i.exec(rest)?.[1] ?? 'last';
        image = emptyStage(join(folder, name));
        stages.set(name, image.root);
        break;
      }
      case 'WORKDIR':
        image.workdir = rest;
        await mkdir(join(image.root, rest), { recursive: true });
        break;
      case 'COPY': {
        const words = rest.split(/\s+/);
        const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1];
        const [target = '', ...sources] = (from === undefined ? words : words.slice(1)).reverse();
        const base = from === undefined ? context : stages.get(from);
        if (base === undefined) throw new Error(`COPY: no stage ${from}`);
        for (const source of sources) {
          // A folder's content is copied, a file keeps its name where the target is a folder.
          const into =
            target.endsWith('/') && !source.startsWith('/') ? join(target, basename(source)) : target;
          await cp(join(base, source), at(into), { recursive: true, verbatimSymlinks: true });
        }
        break;
      }
      case 'RUN':
        await run(rest, at('.'));
        break;
      case 'ENV':
        for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S*)/g))
          image.environment[name] = value;
        break;
      case 'USER':
        image.user = rest;
        break;
      case 'HEALTHCHECK':
        image.healthcheck = list(rest.slice(rest.indexOf('CMD') + 3));
        break;
      case 'ENTRYPOINT':
        image.entrypoint = list(rest);
        break;
      case 'CMD':
        image.arguments = list(rest);
        break;
      case 'EXPOSE':
        break;
      default:
        throw new Error(`The trial does not know ${instruction}`);
    }
  }
  return { ...image, command: [...image.entrypoint, ...image.arguments] };
}

function emptyStage(root: string) {
  return {
    root,
    workdir: '/',
    user: 'root',
    environment: {} as Record<string, string>,
    healthcheck: [] as readonly string[],
    entrypoint: [] as readonly string[],
    arguments: [] as readonly string[],
  };
}

/** The instructions with what follows them, comments and continued lines taken away. */
function instructionsOf(dockerfile: string): [string, string][] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  return lines.flatMap((line) => {
    const [, instruction, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return instruction === undefined || rest === undefined ? [] : [[instruction, rest] as [string, string]];
  });
}

function list(json: string): readonly string[] {
  return JSON.parse(json) as string[];
}
