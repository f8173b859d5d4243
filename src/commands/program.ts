// The command line: puts the commands together, runs one, and says what went wrong.
import { Command } from '@commander-js/extra-typings';
import { type Failure, toFailure } from './failures.ts';
import { separateKeyId } from './key-ids.ts';
import { addServe } from './serve.ts';
import type { Program, Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway serve
  $ npx funnel-gateway seed --contacts 100000
  $ npx funnel-gateway token create --team 1 --scopes "contacts:read"
  $ npx funnel-gateway user create --email ada@example.com --name Ada --team 1 --role owner
  $ npx funnel-gateway client create --name "Nightly export" --grant client_credentials --scopes "contacts:read" --team 1

The configuration comes from environment variables and a .env file: see "serve --help".
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

/**
 * Runs the command that the arguments name.
 * @param showStack whether an unexpected failure is shown with its stack
 * @returns the exit code
 */
export async function runProgram(
  args: readonly string[],
  shell: Shell,
  showStack: () => boolean,
): Promise<number> {
  try {
    const program = await createProgram(args, shell);
    await program.parseAsync(separateKeyId(args), { from: 'user' });
    return 0;
  } catch (error) {
    const failure = toFailure(error);
    if (failure === null) return 0;
    if (args.includes('--json')) {
      const { code, message } = failure;
      shell.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
    } else {
      shell.stderr.write(describe(failure, showStack()));
    }
    return failure.exitCode;
  }
}

async function createProgram(args: readonly string[], shell: Shell): Promise<Command> {
  const program: Program = new Command('funnel-gateway')
    .description('GraphQL and REST gateway for a funnel and store platform, with its own PostgreSQL.')
    .version(shell.version, '-V, --version', 'print the version')
    .option('--json', 'print one line of JSON, for scripts')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      // Failures are said once, by runProgram.
      outputError: () => {},
    })
    .exitOverride();
  addServe(program, shell);
  // A start of the gateway does not wait for commands that it is not asked for.
  if (args.find((arg) => !arg.startsWith('-')) !== 'serve') {
    const { addOperatorCommands } = await import('./operator.ts');
    addOperatorCommands(program, shell);
  }
  return program;
}

function describe({ code, message, stack }: Failure, showStack: boolean): string {
  if (code === 'usage') return `${message}\nSee "funnel-gateway --help".\n`;
  if (stack === undefined) return `${message}\n`;
  if (showStack) return `${stack}\n`;
  return `Unexpected failure: ${message}\nSet LOG_LEVEL=debug to see where it happened.\n`;
}
