// The commands, in the order of the help text. Each command's file is loaded only when it is needed, so that help and the start of the
// gateway are fast.
import type { Program, Shell } from './shell.ts';

interface ListedCommand {
  readonly name: string;
  readonly description: string;
  /** Loads the function that adds the command, its options and its subcommands to the program. */
  load(): Promise<(program: Program, shell: Shell) => void>;
}

export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'serve',
    description: 'start the gateway; without DATABASE_URL it starts its own PostgreSQL',
    load: async () => (await import('./serve.ts')).addServe,
  },
  {
    name: 'work',
    description: 'only deliver webhooks; serve does it too, unless JOBS=off',
    load: async () => (await import('./work.ts')).addWork,
  },
  {
    name: 'migrate',
    description: 'apply pending migrations to the database',
    load: async () => (await import('./migrate.ts')).addMigrate,
  },
  {
    name: 'distribute',
    description: 'have Citus distribute the tables by workspace',
    load: async () => (await import('./distribute.ts')).addDistribute,
  },
  {
    name: 'doctor',
    description: 'check configuration, database, keys, port and disk; changes nothing',
    load: async () => (await import('./doctor.ts')).addDoctor,
  },
  {
    name: 'backup',
    description: 'write the embedded database and its secret key into one file',
    load: async () => (await import('./backup.ts')).addBackup,
  },
  {
    name: 'restore',
    description: 'replace the embedded database by a backup',
    load: async () => (await import('./restore.ts')).addRestore,
  },
  {
    name: 'erasures',
    description: 'list erased contacts; erase them again in a restored store',
    load: async () => (await import('./erasures.ts')).addErasures,
  },
  {
    name: 'seed',
    description: 'add demo data to an empty store, or many contacts to a workspace',
    load: async () => (await import('./seed.ts')).addSeed,
  },
  {
    name: 'demo',
    description: 'restore the original demo data',
    load: async () => (await import('./demo-restore.ts')).addDemo,
  },
  {
    name: 'team',
    description: 'create and list teams; change their subdomains',
    load: async () => (await import('./team.ts')).addTeam,
  },
  {
    name: 'workspace',
    description: 'create and list workspaces; change their subdomains and domains',
    load: async () => (await import('./workspace.ts')).addWorkspace,
  },
  {
    name: 'token',
    description: 'create, list, replace and revoke API keys',
    load: async () => (await import('./token.ts')).addToken,
  },
  {
    name: 'user',
    description: 'create, list and disable people who sign in; change their teams and passwords',
    load: async () => (await import('./user.ts')).addUser,
  },
  {
    name: 'client',
    description: 'register, list and remove OAuth clients',
    load: async () => (await import('./client.ts')).addClient,
  },
  {
    name: 'grant',
    description: 'list and revoke what people granted to OAuth clients',
    load: async () => (await import('./grant.ts')).addGrant,
  },
  {
    name: 'webhook',
    description: 'receive and verify webhooks on this machine; list deliveries, send them again',
    load: async () => (await import('./webhook.ts')).addWebhook,
  },
  {
    name: 'signing-key',
    description: 'list, rotate and remove the keys that sign access tokens',
    load: async () => (await import('./signing-key.ts')).addSigningKey,
  },
  {
    name: 'schema',
    description: 'print the GraphQL schema (SDL), types in alphabetical order',
    load: async () => (await import('./schema.ts')).addSchema,
  },
];
