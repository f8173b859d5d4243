// One permanent bash, like a reader's terminal: variables persist from one command to the next.
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';

export interface Terminal {
  /** A command's output, in the order of writing. @throws Error if the command ended the shell */
  run(command: string): Promise<string>;
  close(): Promise<void>;
}

/** As where a person sits: curl draws no meter there, and what goes wrong is read as well. */
const PROLOGUE = `exec 2>&1
curl() { command curl --no-progress-meter "$@"; }
npx() { [ "$1" = funnel-gateway ] && shift && BIN "$@"; }
`;
const END = '--- that was all ---';

/** @param bin the file that `npx funnel-gateway` runs */
export function openTerminal(cwd: string, env: Record<string, string>, bin: string): Terminal {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write(PROLOGUE.replace('BIN', `'${bin}'`));
  const chunks = on(child.stdout.setEncoding('utf8'), 'data', { close: ['end'] });
  return {
    async run(command) {
      child.stdin.write(`{ ${command}\n} </dev/null\necho '${END}'\n`);
      let output = '';
      while (!output.endsWith(`${END}\n`)) {
        const { done, value } = await chunks.next();
        if (done) throw new Error(`The shell ended: ${output}`);
        output += value[0];
      }
      return output.slice(0, -END.length - 1).replaceAll('\r\n', '\n');
    },
    async close() {
      const ended = once(child, 'close');
      child.stdin.end('exit\n');
      await ended;
    },
  };
}
