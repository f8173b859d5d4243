// Changes of a gateway that enters no role for tenants (over Citus): what each sends first fails with what follows it,
// and leaves no promise that rejects unheard. One such promise ends the process.
import { expect, test, vi } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { createTenant, OPERATIONS, requestOf } from '../support/operations.ts';
import { createObserver } from '../support/statements.ts';

const gateway = await ownGateway({ env: { POOL_SIZE: '8' } });
Object.assign(gateway.app.store, { hasTenantRole: async () => false });
// The first tenant's order has the number that its workspace gives to the next one.
await createTenant(gateway.app, 'theirs');
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
const inWorkspace = `workspace_id = ${tenant.workspace.id} for update`;

test.each([
  ['POST /api/v2/contacts/:contact_id/applied_tags', `select from contacts where ${inWorkspace}`],
  ['POST /api/v2/workspaces/:workspace_id/orders', `select from product_variants where ${inWorkspace}`],
  ['PUT /api/v2/contacts/:id', `select from contacts where ${inWorkspace}`],
  ['DELETE /api/v2/contacts/:id', `select from contacts where ${inWorkspace}`],
])('%s is refused when its connection ends while it waits for its key', async (route, hold) => {
  const operation = OPERATIONS.find((one) => one.route === route) ?? expect.fail(`No operation ${route}`);
  const unheard = vi.fn();
  process.on('unhandledRejection', unheard);
  const observer = await createObserver(gateway);
  const send = () => {
    const { headers, ...request } = requestOf(operation, tenant);
    const key = { 'Idempotency-Key': route.replaceAll(' ', '-') };
    return gateway.send(operation.path(tenant), { caller, ...request, headers: { ...headers, ...key } });
  };
  try {
    let answers: ReturnType<typeof send>[] = [];
    await observer.whileLocked(hold, async () => {
      answers = [send(), send()];
      await untilWaiting(gateway.app, 2);
      await gateway.app.store.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`,
      );
      expect((await Promise.race(answers)).status).toBe(503);
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
    expect(statuses).toEqual([operation.success, 503]);
    expect(unheard).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', unheard);
    await observer.close();
  }
});
