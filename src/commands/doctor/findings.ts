// The findings of a check, and the limits of every check: it ends in time, and an error in it is a finding too.
import { messageOf } from '../../store/embedded/failure.ts';
import type { Limits } from './limits.ts';

export type Status = 'ok' | 'warn' | 'fail';

export interface Finding {
  /** The name of the check. */
  readonly name: string;
  readonly status: Status;
  readonly message: string;
  /** The solution; null without a problem. */
  readonly advice: string | null;
}

/** Makes the findings of one check. */
export function findingsOf(name: string) {
  return {
    /** Nothing is wrong. */
    ok: (message: string): Finding => ({ name, status: 'ok', message, advice: null }),
    /** The gateway works, but this should be corrected. */
    warn: (message: string, advice: string): Finding => ({ name, status: 'warn', message, advice }),
    /** The gateway does not work, or not safely. */
    fail: (message: string, advice: string): Finding => ({ name, status: 'fail', message, advice }),
  };
}

/** The problems among `wrong`; `ok` if there are none. */
export function findingsOrOk(ok: Finding, wrong: readonly (Finding | false)[]): Finding[] {
  const findings = wrong.filter((finding) => finding !== false);
  return findings.length > 0 ? findings : [ok];
}

/**
 * Runs one check. An error or a timeout in it becomes a finding, so that the other checks continue.
 * @param limits `checkMs` is the time limit of the check
 */
export async function runCheck(
  name: string,
  { checkMs }: Pick<Limits, 'checkMs'>,
  check: () => Promise<Finding[]>,
): Promise<Finding[]> {
  const { promise, resolve } = Promise.withResolvers<Finding[]>();
  const late = findingsOf(name).fail(
    `no answer within ${checkMs / 1000} s`,
    'see whether the machine hangs, and try again with a longer --timeout',
  );
  const timer = setTimeout(() => resolve([late]), checkMs);
  try {
    return await Promise.race([check(), promise]);
  } catch (error) {
    return [findingsOf(name).fail(messageOf(error), 'correct that, and run doctor again')];
  } finally {
    clearTimeout(timer);
  }
}
