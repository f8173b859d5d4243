// The message for each reason why a database server cannot be used: one sentence, with what to do.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Certificate, FOR_DB_EXAMPLE, FOR_LOCALHOST } from '../support/certificates.ts';
import { query } from '../support/cluster.ts';
import { message } from '../support/fake-postgres.ts';
import { asAdministrator, cloneTemplate } from '../support/gateway.ts';
import { runHere } from './cli.ts';

const SSL_REQUEST = 80_877_103;

/** A server that refuses everybody. @param answer to a request for TLS, and to the start of a session */
async function refusing(onTls: (socket: Socket) => void, code = '', text = ''): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      if (bytes.readUInt32BE(4) === SSL_REQUEST) return onTls(socket);
      socket.end(message('E', 'SFATAL', 'VFATAL', `C${code}`, `M${text}`, Buffer.from([0])));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `postgresql://gw:s3cret@localhost:${(server.address() as AddressInfo).port}/gateway`;
}

async function sentenceFor(DATABASE_URL: string): Promise<string> {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  process.on('warning', onWarning);
  const { code, stdout, stderr } = await runHere(['token', 'list'], { DATABASE_URL });
  await new Promise(setImmediate);
  process.off('warning', onWarning);
  expect({ code, stdout, warnings }).toEqual({ code: 1, stdout: '', warnings: [] });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).not.toContain('s3cret');
  return stderr;
}

const HBA = 'no pg_hba.conf entry for host "10.0.0.1", user "gw", database "gateway", ';
test.each([
  ['28000', `${HBA}no encryption`, 'takes encrypted connections only: add ?sslmode=verify-full'],
  ['28000', `${HBA}SSL off`, 'takes encrypted connections only: add ?sslmode=verify-full'],
  ['28000', `${HBA}SSL encryption`, 'has no rule in its pg_hba.conf'],
  ['28000', 'role "gw" does not exist', 'refuses the user name or password'],
  ['28P01', 'password authentication failed for user "gw"', 'refuses the user name or password'],
  ['42501', 'permission denied for database "gateway"', 'grant connect on database'],
  ['3D000', 'database "gateway" does not exist', 'has no such database'],
])('%s %s', async (code, text, said) => {
  expect(await sentenceFor(await refusing((socket) => socket.end(), code, text))).toContain(said);
});

test('a missing certificate file is reported as such, and not as an unreachable server', async () => {
  const url = await refusing((socket) => socket.end());
  const said = await sentenceFor(`${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`);
  expect(said).toContain('DATABASE_URL names a file that cannot be read, /nowhere/ca.pem (ENOENT)');
});

test('a server without TLS', async () => {
  const url = await refusing((socket) => socket.write('N'));
  expect(await sentenceFor(`${url}?sslmode=require`)).toContain('does not offer TLS');
});

describe('a certificate', () => {
  const servedWith = (certificate: Certificate) =>
    refusing((socket) => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => {});
    });

  test('from an unknown authority', async () => {
    const url = await servedWith(FOR_LOCALHOST);
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      expect(await sentenceFor(`${url}?sslmode=${mode}`)).toContain('a certificate that is not trusted here');
  });

  test('for another name', async () => {
    const url = await servedWith(FOR_DB_EXAMPLE);
    const folder = mkdtempSync(join(tmpdir(), 'fg-certificate-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const cert = join(folder, 'ca.pem');
    writeFileSync(cert, FOR_DB_EXAMPLE.cert);
    expect(await sentenceFor(`${url}?sslmode=verify-full&sslrootcert=${cert}`)).toContain(
      'a certificate for another host name',
    );
  });
});

test('doctor reports the same reason as migrate for a database that cannot be migrated', async () => {
  const template = await cloneTemplate();
  const name = `refused_${process.pid}`;
  const administratorUrl = asAdministrator(template.url);
  await query(administratorUrl, `create role ${name} login`);
  onTestFinished(async () => {
    await query(administratorUrl, `drop database if exists ${name} with (force)`);
    await query(administratorUrl, `drop role ${name}`);
    await template.drop();
  });
  await query(
    administratorUrl,
    `create database ${name} encoding 'LATIN1' locale 'C' locale_provider 'libc' template template0`,
  );
  const url = new URL(template.url);
  Object.assign(url, { username: name, pathname: `/${name}` });
  const env = { DATABASE_URL: url.href };
  const migrate = await runHere(['migrate'], env);
  const doctor = await runHere(['doctor'], env);
  expect(migrate.code).toBe(1);
  for (const said of [
    'create the database with encoding UTF8',
    `grant create on schema public to ${name};`,
    `grant create on database ${name} to ${name};`,
  ])
    for (const text of [migrate.stderr, doctor.stdout]) expect(text).toContain(said);
});
