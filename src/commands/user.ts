// `user`: people who can sign in, for the operator of the gateway.
import { membershipsOf } from '../services/accounts/users.ts';
import { LOCALES } from '../services/operator/teams.ts';
import {
  create,
  disable,
  enable,
  join,
  type ListedUser,
  leave,
  list,
  type PersonRow,
  ROLES,
  setPassword,
} from '../services/operator/users.ts';
import { actionsOf, examples, fieldsOf, listed } from './operator.ts';
import { takePassword } from './passwords.ts';
import type { Program, Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway user create --email ada@example.com --name "Ada Lovelace" --team 1 --role owner
  $ npx funnel-gateway user list --team 1
  $ npx funnel-gateway user set-password ada@example.com --password-stdin < password.txt
  $ npx funnel-gateway user disable ada@example.com

People are named by id, public id or e-mail address. A password that is made up is shown once.`;
const WHO = 'id, public id or e-mail address';
const ROLE = `their role there: ${ROLES.join(', ')}`;
const STDIN = 'read the password from standard input; without it one is generated and printed once';

/** Adds the command and its subcommands. */
export function addUser(program: Program, shell: Shell): void {
  const user = program.command('user').addHelpText('after', EXAMPLES);
  const action = actionsOf(shell);
  user
    .command('create')
    .description('create a person')
    .requiredOption('--email <address>', 'the e-mail address that they sign in with')
    .requiredOption('--name <name>', 'their name')
    .option('--team <ids...>', 'a team that they belong to; may be repeated')
    .option('--role <role>', ROLE, 'member')
    .option('--time-zone <zone>', 'their time zone, as clients will see it, such as Tokyo')
    .option('--locale <locale>', `their language: ${LOCALES.join(', ')}`)
    .option('--password-stdin', STDIN)
    .addHelpText(...examples('user create --email ada@example.com --name Ada --team 1 --role owner --json'))
    .action(
      action(async (app, { email, name, team = [], role, timeZone, locale, passwordStdin }) => {
        const { password, generated: made } = await takePassword(shell, passwordStdin);
        const memberships = team.map((ref) => ({ team: ref, role }));
        const row = await create(app, { email, name, password, timeZone, locale, memberships });
        const joined = { ...row, memberships: await membershipsOf(app, row.id) };
        const text = `User ${row.id} (${row.email}) is made.`;
        return [{ ...toJson(joined), ...passwordMember(made) }, withPassword(text, made)];
      }),
    );
  user
    .command('list')
    .description('list people')
    .option('--team <id>', 'only the people of this team')
    .addHelpText(...examples('user list --team 1'))
    .action(
      action(async (app, { team }) =>
        listed((await list(app, { team })).map(toJson), 'There are no users.', [
          ...(['id', 'public_id', 'status'] as const),
          ['TEAMS', ({ teams }) => teams.map(({ team_id, role }) => `${team_id} ${role}`).join(', ')],
          ...(['email', 'name'] as const),
        ]),
      ),
    );
  user
    .command('set-password')
    .description("change a person's password; signs them out everywhere")
    .argument('<user>', WHO)
    .option('--password-stdin', STDIN)
    .addHelpText(...examples('user set-password ada@example.com --password-stdin < password.txt'))
    .action(
      action(async (app, ref, { passwordStdin }) => {
        const { password, generated: made } = await takePassword(shell, passwordStdin);
        const row = await setPassword(app, ref, password);
        const text = `User ${row.id} (${row.email}) has another password, and is signed out everywhere.`;
        return [{ ...rowToJson(row), ...passwordMember(made) }, withPassword(text, made)];
      }),
    );
  const ofOne = (name: string, description: string, work: typeof disable, done: string) =>
    user
      .command(name)
      .description(description)
      .argument('<user>', WHO)
      .addHelpText(...examples(`user ${name} ada@example.com`))
      .action(
        action(async (app, ref) => {
          const row = await work(app, ref);
          return [rowToJson(row), `User ${row.id} (${row.email}) ${done}.`];
        }),
      );
  const ended = 'is disabled; all that they granted has ended';
  ofOne('disable', 'disable a person; ends what they granted, for good', disable, ended);
  ofOne('enable', 'enable a person again; what they had granted stays ended', enable, 'may sign in');
  user
    .command('join')
    .description('add a person to a team, or change their role there')
    .argument('<user>', WHO)
    .requiredOption('--team <id>', 'the team')
    .option('--role <role>', ROLE, 'member')
    .addHelpText(...examples('user join ada@example.com --team 2 --role admin'))
    .action(
      action(async (app, ref, { team, role }) => {
        const row = await join(app, ref, team, role);
        return [rowToJson(row), `User ${row.id} (${row.email}) is ${role} of team ${team}.`];
      }),
    );
  user
    .command('leave')
    .description('remove a person from a team; ends what they granted there')
    .argument('<user>', WHO)
    .requiredOption('--team <id>', 'the team')
    .addHelpText(...examples('user leave ada@example.com --team 2'))
    .action(
      action(async (app, ref, { team }) => {
        const row = await leave(app, ref, team);
        return [rowToJson(row), `User ${row.id} (${row.email}) is out of team ${team}.`];
      }),
    );
}

function passwordMember(made: string | null): { password?: string } {
  return made === null ? {} : { password: made };
}

function withPassword(text: string, made: string | null): string {
  return made === null ? text : `${made}\n\n${text}\nKeep the password now: it cannot be shown again.`;
}

function toJson({ memberships, ...user }: ListedUser) {
  const teams = memberships.map(({ teamId, role }) => ({ team_id: teamId, role }));
  return { ...rowToJson(user), teams };
}

function rowToJson(user: PersonRow) {
  return fieldsOf(
    { ...user, status: user.disabledAt === null ? 'active' : 'disabled' },
    ...(['id', 'publicId', 'email', 'name', 'timeZone', 'locale'] as const),
    ...(['status', 'createdAt', 'disabledAt'] as const),
  );
}
