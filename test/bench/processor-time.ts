// Processor time, user and system, of processes that run beside the bench: read from the outside, in microseconds.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { promisify } from 'node:util';

/** Linux counts in clock ticks of a hundredth of a second (proc_pid_stat(5), `getconf CLK_TCK`). */
const TICK_US = 10_000;

interface Stat {
  readonly parent: number;
  readonly ownUs: number;
  /** Of children that have ended and were waited for, with theirs. */
  readonly endedChildrenUs: number;
}

/**
 * What a process and all that it started have used so far, children that have ended included.
 * @returns null when the process is gone, or the system is not Linux
 */
export function processTreeTimeUs(root: number): number | null {
  if (platform !== 'linux') return null;
  for (;;) {
    const before = readStat(root);
    if (before === null) return null;
    const total = sumOfTree(root);
    // A child that ended meanwhile may be counted twice or not at all.
    if (readStat(root)?.endedChildrenUs === before.endedChildrenUs) return total;
  }
}

/** What a server has used so far: elsewhere than on Linux, its one process alone. @throws Error when it is gone */
export async function serverTimeUs(pid: number): Promise<number> {
  const treeTimeUs = processTreeTimeUs(pid);
  if (treeTimeUs !== null) return treeTimeUs;
  if (platform === 'linux') throw new Error(`process ${pid} is gone`);
  const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)]);
  const parts = stdout.trim().split(':');
  return parts.reduce((total, part) => total * 60 + Number(part), 0) * 1e6;
}

function sumOfTree(root: number): number {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? readStat(pid) : null;
    if (stat !== null) stats.set(pid, stat);
  }
  const children = Map.groupBy(stats.keys(), (pid) => stats.get(pid)?.parent);
  let total = 0;
  const left = [root];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    const { ownUs = 0, endedChildrenUs = 0 } = stats.get(pid) ?? {};
    total += ownUs + endedChildrenUs;
    left.push(...(children.get(pid) ?? []));
  }
  return total;
}

/** null: the process is gone. */
function readStat(pid: number): Stat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command's name may hold spaces: behind its bracket comes the 3rd field. ppid is the 4th, utime, stime, cutime and
  // cstime are the 14th to 17th (proc_pid_stat(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) * TICK_US);
  return {
    parent: Number(fields[1]),
    ownUs: Number(user) + Number(system),
    endedChildrenUs: Number(endedUser) + Number(endedSystem),
  };
}
