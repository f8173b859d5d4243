// The addresses in the OpenAPI document: examples in openapi.json, those of the service in the document that it serves.

/** The authorization server of the example. */
export const ISSUER = 'https://accounts.example.com';

const serversOf = (workspaces: string) => [
  { url: '/', description: 'The host from which this document was loaded.' },
  {
    url: workspaces,
    description: 'The host of a workspace.',
    variables: { workspace: { default: 'acme', description: 'The subdomain of the workspace.' } },
  },
];

export const SERVERS = serversOf('https://{workspace}.gateway.example');

/** Where the service is (`src/config/`). */
interface Addresses {
  readonly authUrl: string;
  readonly serviceHost: string;
  readonly oauth: { readonly outside: { readonly issuer: string } | null };
}

/** The text of openapi.json with the addresses of the service. An outside issuer says in its own metadata where its endpoints are. */
export function withAddresses(text: string, { authUrl, serviceHost, oauth }: Addresses): string {
  const { protocol, port } = new URL(authUrl);
  const document = JSON.parse(text.replaceAll(ISSUER, authUrl));
  document.servers = serversOf(`${protocol}//{workspace}.${serviceHost}${port && `:${port}`}`);
  if (oauth.outside !== null)
    document.components.securitySchemes.oauth2 = {
      type: 'openIdConnect',
      openIdConnectUrl: `${oauth.outside.issuer}/.well-known/openid-configuration`,
    };
  return `${JSON.stringify(document, null, 2)}\n`;
}
