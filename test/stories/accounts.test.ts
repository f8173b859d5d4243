import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { allow, createScene, requireLeft, requirePage, signIn } from '../support/oauth.ts';
import { clientWithToken } from './client.ts';

test('an application: a person signs in and allows one workspace, the token is renewed, and revoked', async () => {
  const gateway = await sharedGateway();
  const { platform, browser, user, teamId, first, second } = await createScene(gateway);

  const request = await platform.request({ scope: 'contacts:read contacts:write' });
  const signInPage = requirePage(await browser.open(request.url));
  const consentPage = requirePage(await signIn(browser, signInPage, user.email));
  expect(consentPage.text).toContain('asks for access');
  const choice = { teamId, workspaceIds: [first.id], scopes: ['contacts:read'] };
  const back = requireLeft(await allow(browser, consentPage, choice));
  const tokens = await platform.redeem(back, request);
  expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'contacts:read' });

  const client = clientWithToken(gateway, tokens.access_token, first.id);
  expect(await client.get(`${client.workspace}/contacts`)).toEqual([]);
  const mia = { contact: { first_name: 'Mia' } };
  expect(await client.refused('POST', `${client.workspace}/contacts`, mia)).toEqual([
    403,
    'insufficient_scope',
  ]);
  const elsewhere = await client.refused('GET', `/workspaces/${second.id}/contacts`);
  expect(elsewhere).toEqual([404, 'not_found']);

  const renewed = await platform.refresh(tokens.refresh_token ?? '');
  const later = clientWithToken(gateway, renewed.access_token, first.id);
  expect(await later.get(`${later.workspace}/contacts`)).toEqual([]);

  await platform.revoke(renewed.refresh_token ?? '');
  expect(await later.refused('GET', `${later.workspace}/contacts`)).toEqual([401, 'unauthenticated']);
  await expect(platform.refresh(renewed.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});
