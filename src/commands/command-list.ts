// The commands, in the order of the help text. A command's file is loaded only when the command runs, so that help and the start of the
// gateway are fast.
import type { Program, Shell } from './shell.ts';

const DESCRIPTIONS = {
  serve: 'start the gateway; without DATABASE_URL it starts its own PostgreSQL',
  work: 'only deliver webhooks; serve does it too, unless JOBS=off',
  migrate: 'apply pending migrations to the database',
  distribute: 'have Citus distribute the tables by workspace',
  doctor: 'check configuration, database, keys, port and disk; changes nothing',
  backup: 'write the embedded database and its secret key into one file',
  restore: 'replace the embedded database by a backup',
  erasures: 'list erased contacts; erase them again in a restored store',
  seed: 'add demo data to an empty store, or many contacts to a workspace',
  demo: 'restore the original demo data',
  team: 'create and list teams; change their subdomains',
  workspace: 'create and list workspaces; change their subdomains and domains',
  token: 'create, list, replace and revoke API keys',
  user: 'create, list and disable people who sign in; change their teams and passwords',
  client: 'register, list and remove OAuth clients',
  grant: 'list and revoke what people granted to OAuth clients',
  webhook: 'receive and verify webhooks on this machine; list deliveries, send them again',
  'signing-key': 'list, rotate and remove the keys that sign access tokens',
  schema: 'print the GraphQL schema (SDL), types in alphabetical order',
} as const;

type Name = keyof typeof DESCRIPTIONS;

/** Adds a command, its options and its subcommands to the program. */
type Add = (program: Program, shell: Shell) => void;

const LOAD: Readonly<Record<Name, () => Promise<Add>>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  work: async () => (await import('./work.ts')).addWork,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  distribute: async () => (await import('./distribute.ts')).addDistribute,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
  backup: async () => (await import('./backup.ts')).addBackup,
  restore: async () => (await import('./restore.ts')).addRestore,
  erasures: async () => (await import('./erasures.ts')).addErasures,
  seed: async () => (await import('./seed.ts')).addSeed,
  demo: async () => (await import('./demo-restore.ts')).addDemo,
  team: async () => (await import('./team.ts')).addTeam,
  workspace: async () => (await import('./workspace.ts')).addWorkspace,
  token: async () => (await import('./token.ts')).addToken,
  user: async () => (await import('./user.ts')).addUser,
  client: async () => (await import('./client.ts')).addClient,
  grant: async () => (await import('./grant.ts')).addGrant,
  webhook: async () => (await import('./webhook.ts')).addWebhook,
  'signing-key': async () => (await import('./signing-key.ts')).addSigningKey,
  schema: async () => (await import('./schema.ts')).addSchema,
};

export const COMMANDS = (Object.keys(DESCRIPTIONS) as Name[]).map((name) => {
  return { name, description: DESCRIPTIONS[name], load: LOAD[name] };
});
