// The processor time of a piece of work, on both sides: the subject's processes and PostgreSQL's.
import type { Row } from './bench.ts';
import type { Dataset } from './dataset.ts';
import type { Subject } from './subject.ts';

/** Microseconds. */
export interface CpuUse {
  readonly nodeUs: number;
  /** null: the system does not tell. */
  readonly postgresUs: number | null;
}

export type CpuPerRequest = Pick<Row, 'cpu_us_per_request' | 'postgres_cpu_us_per_request'>;

/** Does `work`, and reads what the subject and all processes of PostgreSQL used from its beginning to its end. */
export async function measureCpuUse<T>(
  { dataset }: { readonly dataset: Pick<Dataset, 'cpuTimeUs'> },
  subject: Pick<Subject, 'cpuTimeUs'>,
  work: () => Promise<T>,
): Promise<{ result: T; cpu: CpuUse }> {
  const read = async () => ({ node: await subject.cpuTimeUs(), postgres: await dataset.cpuTimeUs() });
  const before = await read();
  const result = await work();
  const after = await read();
  const isKnown = before.postgres !== null && after.postgres !== null;
  return {
    result,
    cpu: {
      nodeUs: after.node - before.node,
      postgresUs: isKnown ? Number(after.postgres) - Number(before.postgres) : null,
    },
  };
}

/** The report's two columns, for so many requests that were answered in these pieces of work together. */
export function cpuPerRequest(uses: readonly CpuUse[], requests: number): CpuPerRequest {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / requests;
  const postgres = uses.map(({ postgresUs }) => postgresUs).filter((value) => value !== null);
  return {
    cpu_us_per_request: mean(uses.map(({ nodeUs }) => nodeUs)),
    postgres_cpu_us_per_request: postgres.length === uses.length ? mean(postgres) : null,
  };
}
