// What every part of a run is handed.
import type { Dataset } from './dataset.ts';
import type { Load } from './load.ts';
import type { Plan } from './options.ts';
import type { Progress } from './progress.ts';
import type { Subject, SubjectSettings } from './subject.ts';
import type { SubjectName } from './subjects.ts';

export interface Bench {
  readonly plan: Plan;
  readonly dataset: Dataset;
  readonly load: Load;
  readonly progress: Progress;
  readonly settings: SubjectSettings;
  readonly signal: AbortSignal;
  /** Those that run at the moment. */
  readonly subjects: ReadonlyMap<SubjectName, Subject>;
}

/** One line of the report. */
export interface Row {
  readonly part: string;
  readonly workload: string;
  readonly subject: string;
  /** Medians over the rounds. */
  readonly requests_per_second: number | null;
  /** (fastest - slowest round) / median. */
  readonly spread: number | null;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  /** Processor time of the subject alone, without the database and the load generator. */
  readonly cpu_us_per_request: number | null;
  /** Processor time of all of PostgreSQL's processes; null where the system does not tell. */
  readonly postgres_cpu_us_per_request: number | null;
  /** Cores that the load generator itself was busy with. */
  readonly load_cpu: number | null;
  /** The median of the rounds' ratios: the gateway's requests a second / this subject's. */
  readonly gateway_ratio: number | null;
  /** What else there is to say. */
  readonly note: string | null;
}

/** A row of what is not requests a second; names what it has. */
export function plainRow(row: Pick<Row, 'part' | 'workload' | 'subject'> & Partial<Row>): Row {
  const { part, workload, subject, ...rest } = row;
  const nothing = { requests_per_second: null, spread: null, p50_ms: null, p99_ms: null };
  return {
    ...{ part, workload, subject },
    ...nothing,
    ...{
      cpu_us_per_request: null,
      postgres_cpu_us_per_request: null,
      load_cpu: null,
      gateway_ratio: null,
      note: null,
    },
    ...rest,
  };
}

/** Reports what went wrong with one subject in one part; everything else goes on. */
export async function attempt<T>(
  { progress, signal }: Pick<Bench, 'progress' | 'signal'>,
  what: string,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    progress.say(`!! ${what}: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
