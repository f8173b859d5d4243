// `doctor`: checks everything that the gateway needs, and reports problems and their solutions. It changes nothing, and prints no secret.
import { versions } from 'node:process';
import { ConfigError, type Settings } from '../config/config.ts';
import { nearMissSentence } from '../config/near-misses.ts';
import { VARIABLES_OF_CHECKS } from '../config/variables.ts';
import { checkAddresses } from './doctor/addresses.ts';
import { checkDatabase, clusterOf } from './doctor/database.ts';
import { checkDisk } from './doctor/disk.ts';
import { type Finding, findingsOf, runCheck, type Status } from './doctor/findings.ts';
import { DEFAULT_SECONDS, type Limits, limitsOf } from './doctor/limits.ts';
import { checkListening } from './doctor/listening.ts';
import { checkSecretKey } from './doctor/secret-key.ts';
import { checkSharedRates } from './doctor/shared-rates.ts';
import { checkTrustedDocuments } from './doctor/trusted-documents.ts';
import { FailedAsPrinted } from './failures.ts';
import { type Program, report, type Shell, table, wholeNumber } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway doctor
  $ npx funnel-gateway doctor --json

Run it with the environment of the gateway, best beside a running one. A line each: ok, warn or fail, and what to do.
Exit code 1 only where something fails.`;

/** Adds the command. */
export function addDoctor(program: Program, shell: Shell): void {
  program
    .command('doctor')
    .option(
      '--timeout <seconds>',
      'how long each check may take; longer for a slow or busy machine',
      wholeNumber(1, 3_600),
      DEFAULT_SECONDS,
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ timeout }) => {
      const findings = await runChecks(shell, limitsOf(timeout));
      const status = worstStatus(findings);
      report(shell, { status, checks: findings }, textOf(findings));
      if (status === 'fail') throw new FailedAsPrinted();
    });
}

async function runChecks(shell: Shell, limits: Limits): Promise<Finding[]> {
  const program = findingsOf('program').ok(`funnel-gateway ${shell.version}, Node ${versions.node}`);
  const { settings, findings, invalid } = readSettings(shell);
  if (settings === null) return [program, ...findings];
  const { config } = settings;

  const wrong = (name: keyof typeof VARIABLES_OF_CHECKS) =>
    VARIABLES_OF_CHECKS[name].filter((variable) => invalid.includes(variable));

  /** Skips a check if variables that it needs are invalid, because it would examine something else. */
  async function unlessWrong(
    name: keyof typeof VARIABLES_OF_CHECKS,
    check: () => Promise<Finding[]>,
    { checkMs } = limits,
  ): Promise<Finding[]> {
    const missing = wrong(name);
    if (missing.length === 0) return runCheck(name, { checkMs }, check);
    return [findingsOf(name).warn('not checked', `correct ${missing.join(', ')} first`)];
  }
  const secretKey = await checkSecretKey(settings);
  const keys = wrong('secret key').length > 0 ? null : secretKey.keys;
  const checked = await Promise.all([
    unlessWrong('addresses', async () => checkAddresses(config)),
    unlessWrong('listening', () => checkListening(config, limits)),
    runCheck('disk', limits, async () => {
      const cluster = wrong('database').length > 0 ? null : await clusterOf(settings);
      return checkDisk(config.dataDir, cluster);
    }),
    unlessWrong('secret key', async () => secretKey.findings),
    unlessWrong('trusted documents', () => checkTrustedDocuments(config)),
    unlessWrong('rate limits', async () => {
      const { redisUrl } = settings.secrets;
      return redisUrl === undefined ? [] : checkSharedRates(redisUrl, limits);
    }),
    unlessWrong(
      'database',
      () => checkDatabase(settings, limits, keys),
      // Twice the time, because this check contains others: if something hangs, the inner check reports it.
      { ...limits, checkMs: 2 * limits.checkMs },
    ),
  ]);
  return [program, ...findings, ...nearMissesIn(settings), ...checked.flat()];
}

function nearMissesIn({ nearMisses }: Settings): Finding[] {
  return nearMisses().map((miss) =>
    findingsOf('configuration').warn(nearMissSentence(miss), 'correct its name, or unset it'),
  );
}

interface Read {
  readonly settings: Settings | null;
  readonly findings: readonly Finding[];
  /** Invalid variables; the settings have their defaults instead. */
  readonly invalid: readonly string[];
}

function readSettings(shell: Shell): Read {
  const { fail, ok } = findingsOf('configuration');
  try {
    return {
      settings: shell.settings(),
      findings: [ok('every variable is as it should be')],
      invalid: [],
    };
  } catch (error) {
    if (error instanceof ConfigError)
      return {
        settings: error.settings,
        findings: error.problems.map(({ message }) => fail(message, 'see "serve --help"')),
        invalid: error.problems.map(({ variable }) => variable),
      };
    const message = error instanceof Error ? error.message : String(error);
    const finding = fail(message, 'correct that: nothing else can be checked before');
    return { settings: null, findings: [finding], invalid: [] };
  }
}

function worstStatus(findings: readonly Finding[]): Status {
  const has = (status: Status) => findings.some((finding) => finding.status === status);
  return has('fail') ? 'fail' : has('warn') ? 'warn' : 'ok';
}

function textOf(findings: readonly Finding[]): string {
  return table(
    ['', '', ''],
    findings.map(({ name, status, message, advice }) => [
      status,
      name,
      advice === null
        ? message
        : `${message.replace(/\.$/, '')}${message.endsWith('?') ? '' : ':'} ${advice}`,
    ]),
  ).trimStart();
}
