// Rows of a store, in SQL, for tests of the database itself.

/** The rows of a team, and some of another team's. */
export const ROWS = `
  insert into teams (id, name, subdomain) values (1, 'Team', 'team'), (2, 'Other', null);
  insert into workspaces (id, team_id, name, subdomain) values (1, 1, 'One', 'one'), (2, 1, 'Two', 'two');
  insert into custom_domains (id, workspace_id, host) values (1, 1, 'shop.example.com');
  insert into contacts (id, workspace_id, email_address, uuid)
    values (1, 1, 'Ann@Example.com', '11111111-1111-4111-8111-111111111111');
  insert into tags (id, workspace_id, name) values (1, 1, 'Tag');
  insert into refine_filters (id, workspace_id, name) values (1, 1, 'Filter');
  insert into webhook_endpoints (id, workspace_id, url, name, secret, secret_changed_at) values (1, 1, 'https://a.example', 'Hook', 'sealed', now());
  insert into funnels (id, workspace_id, name, current_path) values
    (1, 1, 'Funnel', '/a'), (2, 1, 'Funnel', '/b'), (3, 2, 'Elsewhere', '/a');
  insert into pages (id, workspace_id, name, current_path) values
    (1, 1, 'Page', '/p1'), (2, 1, 'Page', '/p2'), (3, 1, 'Page', '/p3'), (4, 2, 'Elsewhere', '/p1');
  insert into funnel_steps (id, workspace_id, funnel_id, kind, parent_id, branch, position, name, page_id) values
    (1, 1, 1, 'page', null, null, 0, 'Page', 1),
    (2, 1, 1, 'conditional_split', null, null, 1, 'Split', null),
    (3, 1, 1, 'page', 2, 'matched', 0, 'Page', 2);
  insert into api_keys (id, team_id, name, is_default, token_hash, hint, scopes) values
    (1, 1, 'Key', true, sha256('1'), 'fg', '{read}'), (2, 1, 'Key', false, sha256('2'), 'fg', '{write}');
  insert into users (id, email, name, password_hash) values (50, 'ann@example.com', 'Ann', 'x');
  insert into oauth_clients (id, name, metadata) values ('client', 'Client', '{}');
  insert into oauth_grants (key, user_id, client_id, payload, expires_at) values ('grant', 50, 'client', '{}', now());
  alter sequence contacts_id_seq restart 100; alter sequence funnel_steps_id_seq restart 100;`;

/** A new step. */
export function step(values: string): string {
  const columns = 'workspace_id, funnel_id, kind, parent_id, branch, position, name, page_id';
  return `insert into funnel_steps (${columns}) values ${values}`;
}
