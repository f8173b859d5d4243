// Equal content before timing: each subject's answers to some of the requests, in one form; the one that most of them
// give is right. Later samples, taken while it is timed, are held against it.
import type { Bench } from './bench.ts';
import type { LoadResult } from './load.ts';
import type { Subject } from './subject.ts';
import type { SubjectName } from './subjects.ts';
import { ask, type Workload } from './workloads.ts';

/** A subject that takes part in a workload, with its requests. */
export interface Contender {
  readonly name: SubjectName;
  readonly subject: Subject;
  readonly requests: readonly string[];
}

const CHECKED = 6;

/** Prepares every subject's requests, and leaves out who cannot answer them like the others. */
export async function prepareContenders(bench: Bench, workload: Workload): Promise<Contender[]> {
  const contenders: (Contender & { answers: string[] })[] = [];
  for (const name of workload.subjects) {
    const subject = bench.subjects.get(name);
    if (subject === undefined) continue;
    const ready = await attemptNamed(bench, workload, subject, async () => {
      const requests = await workload.requests(subject, name, bench.dataset.manifest);
      const step = Math.max(1, Math.floor(requests.length / CHECKED));
      const answers: string[] = [];
      for (let index = 0; index < requests.length; index += step)
        answers.push(await canonicalAnswer(workload, subject, requests[index] ?? ''));
      return { name, subject, requests, answers };
    });
    if (ready !== null) contenders.push(ready);
  }
  const votes = contenders.map(({ answers }) => answers.join('\n'));
  const right = mostCommon(votes);
  return contenders.filter(({ subject }, at) => {
    const vote = votes[at] ?? '';
    if (vote === right) return true;
    bench.progress.say(
      `!! ${subject.name}: its answers differ from the others' in ${workload.title}: ${difference(vote, right)}. It is left out.`,
    );
    return false;
  });
}

/** @throws Error when a status or a sampled answer was not as it should be */
export async function requireRight(
  workload: Workload,
  contender: Contender,
  result: LoadResult,
  reference: Contender,
): Promise<void> {
  const bad = Object.keys(result.statuses).filter((status) => status !== '200');
  if (bad.length > 0) throw new Error(`status ${bad.join(', ')} while it was timed`);
  for (const { index, body } of result.samples) {
    const expected = await expectedAnswer(workload, reference, index);
    if (workload.canonical(body) !== expected)
      throw new Error(`answer ${index} of ${contender.name} differs while it was timed`);
  }
}

const expectations = new WeakMap<Contender, Map<number, string>>();

async function expectedAnswer(workload: Workload, reference: Contender, index: number): Promise<string> {
  const known = expectations.get(reference) ?? new Map<number, string>();
  expectations.set(reference, known);
  const answer =
    known.get(index) ?? (await canonicalAnswer(workload, reference.subject, reference.requests[index] ?? ''));
  known.set(index, answer);
  return answer;
}

async function canonicalAnswer(workload: Workload, subject: Subject, request: string): Promise<string> {
  const { status, body } = await ask(subject, request);
  if (status !== 200) throw new Error(`status ${status}: ${body.slice(0, 300)}`);
  try {
    return workload.canonical(body);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}: ${body.slice(0, 300)}`);
  }
}

async function attemptNamed<T>(
  { progress, signal }: Bench,
  workload: Workload,
  subject: Subject,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : error;
    progress.say(
      `!! ${subject.name} does not answer ${workload.title}: ${why}. Its log ends with:\n${subject.logTail()}`,
    );
    return null;
  }
}

function mostCommon(values: readonly string[]): string {
  const counts = Map.groupBy(values, (value) => value);
  return [...counts.values()].sort((a, b) => b.length - a.length)[0]?.[0] ?? '';
}

function difference(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 50));
  return `${around(a)}, the others have ${around(b)}`;
}
