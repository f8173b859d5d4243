// The demo's themes, pages that stand by themselves, and what pages offer.
import { toPath } from '../sql/paths.ts';
import type { Filling } from './demo.ts';

/** Inserts the themes, each in its first style. */
export async function insertThemes({ tx, workspaceId, insert, data }: Filling): Promise<void> {
  const made = await insert('Theme', data.themes ?? [], ({ name, customName }) => ({ name, customName }));
  for (const { id, createdAt, data: theme } of made) {
    const [first] = await insert('Style', theme.styles, (name) => ({ name, themeId: id, createdAt }));
    await tx.theme.update({
      where: { workspaceId_id: { workspaceId, id } },
      data: { currentStyleId: first?.id ?? null, updatedAt: createdAt },
    });
  }
}

/** Inserts pages that no step shows. */
export async function insertLandingPages({ insert, idOf, data }: Filling): Promise<void> {
  await insert('Page', data.pages ?? [], ({ theme, ...page }) => ({
    ...{ ...page, currentPath: `/${toPath(page.name, 'page')}`, themeId: idOf('Theme', theme) },
  }));
}

/** Has pages of funnels offer products. */
export async function insertOffers({ tx, workspaceId, idOf, data }: Filling): Promise<void> {
  for (const [name, { products, bumps = {} }] of Object.entries(data.offers ?? {})) {
    const where = { workspaceId_id: { workspaceId, id: idOf('Page', name) } };
    const { updatedAt } = await tx.page.findUniqueOrThrow({ where });
    await tx.page.update({
      where,
      data: {
        productIds: products.map((product) => idOf('Product', product)),
        bumps: Object.entries(bumps).map(([product, preheadline]) => ({
          ...{ product_id: Number(idOf('Product', product)), preheadline },
        })),
        updatedAt,
      },
    });
  }
}
