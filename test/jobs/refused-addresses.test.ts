// Nobody's network (src/jobs/delivery/connections.ts): a listener on an address that is refused never gets a packet, whatever leads to it.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSender, type Sender } from '../../src/jobs/delivery/sender.ts';
import { isAllowedAddress } from '../../src/network/network-addresses.ts';
import {
  hasOpenssl,
  makeCertificate,
  networks,
  type Receiver,
  receive,
  receiveRaw,
  receiveTls,
} from './receiver.ts';

const REFUSED = { code: null, error: 'The URL leads to an address that webhooks may not be sent to.' };
const senders: Sender[] = [];

function newSender(options: Partial<Parameters<typeof createSender>[0]> = {}): Sender {
  const timeouts = { connectMs: 3_000, answerMs: 3_000 };
  const sender = createSender({ allowedNetworks: networks(), timeouts, ...options });
  senders.push(sender);
  return sender;
}

afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.close();
});

const post = (sender: Sender, url: string) =>
  sender.send({ url, headers: {}, body: '{}' }, new AbortController().signal);
const inUrl = (address: string) => (isIPv6(address) ? `[${address}]` : address);

/** Addresses that the test adds to the machine, if that is permitted. */
const GIVEN = [
  ...['10.213.0.1/32', '172.31.213.1/32', '192.168.213.1/32', '100.64.213.1/32', '169.254.213.1/32'],
  ...[
    '198.18.213.1/32',
    '203.0.113.213/32',
    'fd00:ec2::213/128',
    '2002:7f00:1::213/128',
    '64:ff9b::a00:1/128',
  ],
];
const given: string[] = [];
const ip = (verb: string, address: string) =>
  spawnSync('ip', [
    'address',
    verb,
    address,
    'dev',
    'lo',
    ...(verb === 'add' && isIPv6(address.split('/')[0] ?? '') ? ['nodad'] : []),
  ]).status === 0;

beforeAll(() => {
  given.push(...GIVEN.filter((address) => ip('add', address)));
});

afterAll(() => {
  for (const address of given) ip('del', address);
});

/** Every address of this machine that is refused. */
const addressesHere = () =>
  Object.values(networkInterfaces())
    .flatMap((each = []) => each.map(({ address }) => address))
    .concat('127.0.0.2')
    .filter((address) => !isAllowedAddress(address, networks()));

/** A server on all addresses of this machine. */
async function receiveAnywhere(): Promise<Receiver> {
  const six = addressesHere().some(isIPv6);
  return receive((_, response) => void response.end(), six ? '::' : '0.0.0.0');
}

async function reach(address: string, port: number): Promise<void> {
  const socket = connect(port, address);
  await once(socket, 'connect');
  socket.destroy();
  await once(socket, 'close');
}

test('no refused address of this machine is connected to, by itself or by a name', async () => {
  await using receiver = await receiveAnywhere();
  const addresses = addressesHere().filter((address) => !address.startsWith('fe80'));
  expect(addresses.length).toBeGreaterThan(1);
  for (const address of addresses) {
    expect(await post(newSender(), `http://${inUrl(address)}:${receiver.port}/`)).toMatchObject(REFUSED);
    expect(await post(newSender(), `https://${inUrl(address)}:${receiver.port}/`)).toMatchObject(REFUSED);
    const named = newSender({ lookup: async () => [address] });
    expect(await post(named, `http://a.example:${receiver.port}/`)).toMatchObject(REFUSED);
  }
  expect(receiver.connections).toBe(0);
  // The listener would have received it.
  for (const address of addresses) await reach(address, receiver.port);
  expect(receiver.connections).toBe(addresses.length);
});

test.each([
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '１２７.0.0.1',
    '0',
    '0.0.0.0',
  ],
  ...['[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[0:0:0:0:0:0:0:1]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'app.localhost', 'a.b.localhost.', '%6cocalhost'],
])('%s leads nowhere', async (host) => {
  await using receiver = await receiveAnywhere();
  expect(await post(newSender(), `http://${host}:${receiver.port}/`)).toMatchObject(REFUSED);
  expect(receiver.connections).toBe(0);
});

test.each([
  ['no address', [], 'The host name was not found.'],
  ['IPv4-mapped addresses', ['::ffff:127.0.0.1', '::ffff:7f00:1'], REFUSED.error],
  ['refused addresses of both families', ['127.0.0.1', '::1', '10.0.0.1', 'fd00::1'], REFUSED.error],
  ['what is not a valid address', ['localhost', '127.1', '', '2130706433'], REFUSED.error],
  ['an address with a zone', ['fe80::1%lo', '::1%lo'], REFUSED.error],
])('a name with %s leads nowhere', async (_, addresses, error) => {
  await using receiver = await receiveAnywhere();
  const sender = newSender({ lookup: async () => addresses });
  expect(await post(sender, `http://a.example:${receiver.port}/`)).toMatchObject({ code: null, error });
  expect(receiver.connections).toBe(0);
});

describe('with 127.0.0.1 and 127.0.0.3 allowed', () => {
  const allowedNetworks = networks('127.0.0.1/32', '127.0.0.3/32');

  test('a name that later resolves elsewhere is resolved once for a connection, and checked each time', async () => {
    await using outside = await receive(
      (_, response) => void response.setHeader('connection', 'close').end(),
    );
    await using inside = await receiveRaw(() => {}, '127.0.0.2', outside.port);
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2', '127.0.0.1']];
    let lookups = 0;
    const sender = newSender({ allowedNetworks, lookup: async () => answers[lookups++] ?? [] });
    const url = `http://rebinding.example:${outside.port}/`;
    expect(await post(sender, url)).toMatchObject({ code: 200 });
    expect(lookups).toBe(1);
    expect(await post(sender, url)).toMatchObject(REFUSED);
    expect(lookups).toBe(2);
    expect(await post(sender, url)).toMatchObject({ code: 200 });
    expect([outside.connections, inside.connections]).toEqual([2, 0]);
  });

  test('a redirect to a refused address is not followed', async () => {
    await using inside = await receiveRaw(() => {}, '127.0.0.2');
    await using outside = await receive((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.2:${inside.port}/` }).end();
    });
    const attempt = await post(newSender({ allowedNetworks }), `http://127.0.0.1:${outside.port}/`);
    expect(attempt).toMatchObject({ code: 307, error: null });
    expect(inside.connections).toBe(0);
  });

  test('if one address of a name is dead, the next one is used', async () => {
    await using receiver = await receive((_, response) => void response.end(), '127.0.0.3');
    const lookup = async () => ['127.0.0.2', '127.0.0.1', '127.0.0.3'];
    const attempt = await post(newSender({ allowedNetworks, lookup }), `http://a.example:${receiver.port}/`);
    expect(attempt).toMatchObject({ code: 200, error: null });
  });

  test('localhost names lead to this machine without DNS', async () => {
    await using receiver = await receive((_, response) => void response.end());
    const attempt = await post(newSender({ allowedNetworks }), `http://app.localhost:${receiver.port}/`);
    expect(attempt).toMatchObject({ code: 200, error: null });
  });

  test('the receiver gets the host name, not the address', async () => {
    const hosts: unknown[] = [];
    await using receiver = await receive((request, response) => {
      hosts.push(request.headers.host);
      response.end();
    });
    const sender = newSender({ allowedNetworks, lookup: async () => ['127.0.0.1'] });
    await post(sender, `http://Hooks.Example:${receiver.port}/`);
    expect(hosts).toEqual([`hooks.example:${receiver.port}`]);
  });

  describe.skipIf(!hasOpenssl)('over TLS', () => {
    const certificate = makeCertificate('DNS:hooks.example,IP:127.0.0.3');
    const trust = (...certificates: string[]) => setDefaultCACertificates(certificates);
    const sender = () => newSender({ allowedNetworks, lookup: async () => ['127.0.0.1'] });
    afterAll(() => trust());

    test('the certificate is checked for the name in the URL, which the receiver gets', async () => {
      trust(certificate.cert);
      const names: string[] = [];
      await using receiver = await receiveTls(
        certificate,
        (request, response) => void response.end(request.headers.host),
        (name) => names.push(name),
      );
      const { port } = receiver;
      const good = await post(sender(), `https://hooks.example:${port}/`);
      expect(good).toMatchObject({ code: 200, error: null, responseStart: `hooks.example:${port}` });
      expect(await post(sender(), `https://hooks.example.:${port}/`)).toMatchObject({
        code: 200,
        error: null,
      });
      expect(names).toEqual(['hooks.example', 'hooks.example']);
      const error = 'The certificate is for another host name.';
      expect(await post(sender(), `https://other.example:${port}/`)).toMatchObject({ code: null, error });
      expect(await post(sender(), `https://127.0.0.1:${port}/`)).toMatchObject({ code: null, error });
    });

    test('an untrusted certificate is refused', async () => {
      trust();
      await using receiver = await receiveTls(certificate, (_, response) => void response.end());
      const attempt = await post(sender(), `https://hooks.example:${receiver.port}/`);
      expect(attempt).toMatchObject({ code: null, error: 'The certificate is not trusted.' });
    });

    test('an address that hangs leaves time for the next one', async () => {
      trust(certificate.cert);
      await using good = await receiveTls(certificate, (_, response) => void response.end());
      await using hanging = await receiveRaw(() => {}, '127.0.0.3', good.port);
      const lookup = async () => ['127.0.0.3', '127.0.0.1'];
      const attempt = await post(
        newSender({ allowedNetworks, lookup }),
        `https://hooks.example:${good.port}/`,
      );
      expect(attempt).toMatchObject({ code: 200, error: null });
      expect(hanging.connections).toBe(1);
    });
  });
});
