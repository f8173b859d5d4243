// The demo's outgoing webhook endpoints.
import { drawIds } from '../changing/ids.ts';
import type { EndpointData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import type { DemoFunnels } from './funnels.ts';
import { requireNamed, zip } from './named.ts';

const AGE_DAYS = 400;

/** Inserts a workspace's endpoints; their limits name funnels and pages. */
export async function insertWebhookEndpoints(
  demo: Demo,
  workspaceId: bigint,
  endpoints: readonly EndpointData[],
  { funnelIds, pageIds }: DemoFunnels,
): Promise<void> {
  const ids = await drawIds(demo.tx, 'webhook_endpoints', endpoints.length);
  await demo.tx.webhookEndpoint.createMany({
    data: zip(endpoints, ids).map(([{ name, url, events, funnels = [], pages = [] }, id], index) => {
      const createdAt = demo.daysAgo(AGE_DAYS - index * 31 - demo.random.next() * 10);
      return {
        id,
        workspaceId,
        name,
        url,
        eventTypeIds: [...events],
        pageIds: pages.map((page) => requireNamed(pageIds, 'page', page)),
        funnelIds: funnels.map((funnel) => requireNamed(funnelIds, 'funnel', funnel)),
        // Nothing leaves the machine of somebody who tries the gateway out.
        deactivatedAt: createdAt,
        deactivationReason: 'requested',
        createdAt,
        updatedAt: createdAt,
      };
    }),
  });
}
