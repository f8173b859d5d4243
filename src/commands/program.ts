// The command line: assembles the commands, runs one, and reports errors.
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { COMMANDS } from './command-list.ts';
import { FailedAsPrinted, type Failure, toFailure } from './failures.ts';
import { separateKeyId } from './key-ids.ts';
import type { Process, Program, Shell } from './shell.ts';

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
 * Runs the command in the arguments.
 * @param showStack whether to print the stack of an unexpected failure
 * @returns the exit code
 */
export async function runProgram(
  args: readonly string[],
  process: Process,
  showStack: () => boolean,
): Promise<number> {
  const shell = { ...process, json: false };
  const program = await createProgram(args, shell);
  try {
    await program.parseAsync(separateKeyId(dropRedundantHelpFlag(program, args)), { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof FailedAsPrinted) return 1;
    const failure = toFailure(error);
    if (failure === null) return 0;
    if (args.includes('--json')) writeJson(shell.stderr, failure);
    else {
      const { command } = findCommand(program, wordsOf(args));
      shell.stderr.write(describe(failure, nameOf(command), showStack()));
    }
    return failure.exitCode;
  }
}

/** Reports that a command's output could not be written. @param reason a system error code */
export function reportUnprinted(args: readonly string[], stderr: Shell['stderr'], reason: string): void {
  const message = `What was to be printed could not be written (${reason}).`;
  if (args.includes('--json')) writeJson(stderr, { code: 'internal', message });
  else stderr.write(`${message}\n`);
}

function writeJson(stderr: Shell['stderr'], { code, message }: Pick<Failure, 'code' | 'message'>): void {
  stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
}

async function createProgram(args: readonly string[], shell: Shell & { json: boolean }): Promise<Program> {
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
      // runProgram reports failures, once.
      outputError: () => {},
    })
    .exitOverride();
  program.on('option:json', () => {
    shell.json = true;
  });
  const [asked] = wordsOf(args);
  for (const { name, description, load } of COMMANDS) {
    if (name === asked) (await load())(program, shell);
    else program.command(name);
    program.commands.at(-1)?.description(description);
  }
  program
    .command('help')
    .description('print help of a command')
    .argument('[command...]', 'the words of the command')
    .addHelpText('after', '\nExamples:\n  $ npx funnel-gateway help token create')
    .action((words) => {
      const { command, rest } = findCommand(program, words);
      const [unknown] = rest;
      if (unknown !== undefined) command.error(`error: unknown command '${unknown}'`);
      command.help();
    });
  return program;
}

/** The words of the command: the same for `help token create` and `token create --help`. */
function wordsOf(args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !arg.startsWith('-'));
  return words[0] === 'help' ? words.slice(1) : words;
}

/** The deepest command that the first words match, and the remaining words. */
function findCommand(
  program: Program,
  words: readonly string[],
): { command: CommandUnknownOpts; rest: readonly string[] } {
  let command: CommandUnknownOpts = program;
  for (const [index, word] of words.entries()) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return { command, rest: words.slice(index) };
    command = next;
  }
  return { command, rest: [] };
}

/** Removes the help option if the words match no command, so that the error about the unknown command is printed instead. */
function dropRedundantHelpFlag(program: Program, args: readonly string[]): readonly string[] {
  const isHelp = (arg: string) => arg === '--help' || arg === '-h';
  const { command, rest } = findCommand(program, wordsOf(args));
  if (rest.length === 0 || command.commands.length === 0) return args;
  return args.filter((arg) => !isHelp(arg));
}

function nameOf(command: CommandUnknownOpts): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function describe({ code, message, stack }: Failure, command: string, showStack: boolean): string {
  if (code === 'usage') return `${message}\nSee "${command} --help".\n`;
  if (stack === undefined) return `${message}\n`;
  if (showStack) return `${stack}\n`;
  return `Unexpected failure: ${message}\nSet LOG_LEVEL=debug to see where it happened.\n`;
}
