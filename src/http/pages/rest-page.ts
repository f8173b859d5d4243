// The reference of the REST API, for a browser at the address of the API. Programs get the API's rules and endpoints there, as JSON.
import type { Hono } from 'hono';
import { createReferencePage } from '../../graphiql/page.ts';
import { API_PATH } from '../../rest/router.ts';
import type { HttpEnv } from '../exchange.ts';
import { pageNotBuilt } from '../page-not-built.ts';
import { mountPage } from './reader.ts';

/** Call it before REST is mounted. @param issuer the authorization server where people sign in; null: only API keys are taken */
export function mountRestPage(http: Hono<HttpEnv>, issuer: string | null): void {
  const referencePage = createReferencePage();
  for (const path of [API_PATH, `${API_PATH}/`])
    mountPage(http, path, async () => referencePage(issuer) ?? pageNotBuilt('The REST reference'));
}
