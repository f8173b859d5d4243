// Finds the files of src/ that a request executes, by V8's counts of function calls.
import { type Profiler, Session } from 'node:inspector/promises';

const SRC = new URL('../../src/', import.meta.url);

/** Vitest adds a function for each export to a module, which importing code calls: such a call does not execute our code. */
const BEFORE_EXPORT = /__vite_ssr_exportName__\("[^"]*", $/;
/** At least as long as the longest text before an export's function. */
const MAX_BEFORE = 200;

/** How often `executedFiles` runs the work. */
export const TIMES = 4;

/**
 * The files of src/, relative to that folder, in which the work called a function each time. The first run, which loads modules, is not
 * measured; calls that not every other run makes, such as a timer's, do not count.
 */
export async function executedFiles(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true });
    await work();
    const executed: Set<string>[] = [];
    for (let time = 1; time < TIMES; time++) {
      await session.post('Profiler.takePreciseCoverage');
      await work();
      const { result } = await session.post('Profiler.takePreciseCoverage');
      executed.push(await filesOf(session, result));
    }
    return [...executed.reduce((all, files) => all.intersection(files))].sort();
  } finally {
    session.disconnect();
  }
}

/** The files of src/ with a called function. */
async function filesOf(session: Session, scripts: readonly Profiler.ScriptCoverage[]): Promise<Set<string>> {
  const files = new Set<string>();
  for (const { scriptId, url, functions } of scripts) {
    const path = url.replace('file://', '');
    if (!path.startsWith(SRC.pathname)) continue;
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
    const isOurs = (start: number) =>
      !BEFORE_EXPORT.test(scriptSource.slice(Math.max(0, start - MAX_BEFORE), start));
    if (functions.some(({ ranges: [whole] }) => whole && whole.count > 0 && isOurs(whole.startOffset)))
      files.add(path.slice(SRC.pathname.length));
  }
  return files;
}
