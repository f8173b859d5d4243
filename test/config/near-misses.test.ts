// A variable whose name resembles one of the gateway's is reported, and no other (src/config/near-misses.ts).
import { expect, test } from 'vitest';
import { nearMisses, nearMissSentence } from '../../src/config/near-misses.ts';
import { VARIABLES } from '../../src/config/variables.ts';

const found = (...names: string[]) =>
  nearMisses(Object.fromEntries(names.map((name) => [name, 'x']))).map(({ meant }) => meant);

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['database_url', 'DATABASE_URL'],
  ['DATABASE_REPLICA_URL', 'DATABASE_REPLICA_URLS'],
  ['SECRETKEY', 'SECRET_KEY'],
  ['SERVICE_HOTS', 'SERVICE_HOST'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['PROT', 'PORT'],
  ['HSOT', 'HOST'],
])('%s is taken for %s', (name, meant) => {
  expect(found(name)).toEqual([meant]);
});

test('the nearest name is suggested', () => {
  expect(found('METRICS_PROT')).toEqual(['METRICS_PORT']);
});

test("the gateway's own variables, and those of other programs, are not typos", () => {
  expect(nearMisses(process.env)).toEqual([]);
  expect(found(...Object.keys(VARIABLES))).toEqual([]);
  expect(
    found(
      ...[
        'PATH',
        'HOME',
        'HOSTNAME',
        'HOSTTYPE',
        'USER',
        'SHELL',
        'SHLVL',
        'PWD',
        'OLDPWD',
        'LANG',
        'TERM',
        'TZ',
        '_',
      ],
      ...[
        'POST',
        'PORTS',
        'SORT',
        'HOSTS',
        'JOB',
        'JOB_URL',
        'JOBS_DIR',
        'GHOST',
        'LOGNAME',
        'MAIL',
        'DISPLAY',
      ],
      ...[
        'XDG_DATA_DIRS',
        'XDG_DATA_HOME',
        'XDG_RUNTIME_DIR',
        'NODE_ENV',
        'NODE_OPTIONS',
        'npm_config_cache',
        'INIT_CWD',
      ],
      ...[
        'PGHOST',
        'PGPORT',
        'PGUSER',
        'PGPASSWORD',
        'PGDATABASE',
        'BASE_URL',
        'REDIS_HOST',
        'REDIS_PORT',
        'SECRET',
      ],
      ...[
        'KUBERNETES_SERVICE_HOST',
        'KUBERNETES_SERVICE_PORT',
        'A_SERVICE_HOST',
        'SERVICE_PORT',
        'KUBERNETES_PORT',
      ],
      ...[
        'OTEL_TRACES_EXPORTER',
        'OTEL_METRICS_EXPORTER',
        'OTEL_LOGS_EXPORTER',
        'OTEL_EXPORTER_OTLP_PROTOCOL',
      ],
      ...['GITHUB_WORKSPACE', 'GITHUB_TOKEN', 'CI', 'WORKSPACE', 'LISTEN_PID', 'LISTEN_FDS', 'INVOCATION_ID'],
    ),
  ).toEqual([]);
});

test('the hint is one sentence', () => {
  expect(nearMisses({ DATABSE_URL: 'postgresql://a:secret@b/c' }).map(nearMissSentence)).toEqual([
    'DATABSE_URL is not a variable of this gateway: is DATABASE_URL meant?',
  ]);
});
