// Processes as Linux shows them, and signals to them.
import { readdir, readFile } from 'node:fs/promises';

/** The processes that a process has started. */
async function childrenOf(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')));
  // Behind the name in parentheses: the state, and the parent.
  return pids.map(Number).filter((_, index) => Number(stats[index]?.split(') ')[1]?.split(' ')[1]) === pid);
}

/** Sends a signal to a process and all that it has started. It is stopped first: it starts no more, and they stay its own. */
export async function signalTree(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (signal !== 'SIGCONT') trySignal(pid, 'SIGSTOP');
  const children = await childrenOf(pid);
  for (const each of [pid, ...children]) trySignal(each, signal);
}

/** Sends a signal to a process, which may have ended meanwhile. */
export function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
