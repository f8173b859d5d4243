// The addresses in the banner work, and it says how to make others work (src/commands/banner.ts).
import { expect, test } from 'vitest';
import { banner } from '../../src/commands/banner.ts';
import { parseConfig } from '../../src/config/config.ts';

function bannerWith(env: Record<string, string>): string {
  const { config } = parseConfig(env, '/');
  return banner({
    ...{
      config,
      port: 4000,
      store: 'ready',
      data: null,
      demoPerson: null,
      demoCode: null,
      workspaceId: 1n,
      isSecretKeyWrong: false,
    },
    metricsPort: null,
    demoKey: { token: 'fgw_x', teamId: 1n },
    networkAddresses: ['192.168.1.20'],
  });
}

test('the banner has the address of GraphiQL unless it is off', () => {
  expect(bannerWith({})).toContain('GraphiQL');
  expect(bannerWith({ GRAPHIQL: 'off' })).not.toContain('GraphiQL');
});

test('on loopback the banner does not mention other machines', () => {
  expect(bannerWith({})).toContain('http://127.0.0.1:4000/graphql');
  expect(bannerWith({})).not.toContain('Network');
});

test.each(['0.0.0.0', '::', '192.168.1.20'])(
  'where HOST=%s listens in a network, it says what to set for others',
  (HOST) => {
    const text = bannerWith({ HOST });
    expect(text).toContain('SERVICE_HOST=192.168.1.20');
    expect(text).toContain('421');
  },
);

test('with an IP address as SERVICE_HOST the banner has that address', () => {
  const text = bannerWith({ HOST: '0.0.0.0', SERVICE_HOST: '192.168.1.20' });
  expect(text).toContain('REST      http://192.168.1.20:4000/api/v2');
  expect(text).not.toMatch(/Network|localhost|-H 'Host:/);
});

test.each(['127.0.0.1', '0.0.0.0'])(
  'on %s with a name as SERVICE_HOST it says that requests need that host, and sends no browser elsewhere',
  (HOST) => {
    const text = bannerWith({ HOST, SERVICE_HOST: 'gateway.example.com' });
    expect(text).toContain('Network   requests must be sent to the host gateway.example.com');
    expect(text).toContain("-H 'Host: gateway.example.com'");
    expect(text).not.toContain('open it in a browser');
  },
);
