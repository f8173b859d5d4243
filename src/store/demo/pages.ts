// The demo's themes, pages that stand by themselves, and what pages offer.
import { toPath } from '../sql/paths.ts';
import type { PageData, ThemeData, WorkspaceData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import { type Named, requireNamed } from './named.ts';

const AGE_DAYS = { theme: 560, page: 90 };

/** Inserts the themes, each in its first style; returns their ids by name. */
export async function insertThemes(
  { tx, daysAgo }: Demo,
  workspaceId: bigint,
  themes: readonly ThemeData[],
): Promise<Named> {
  const ids = new Map<string, bigint>();
  for (const { name, customName, styles } of themes) {
    const createdAt = daysAgo(AGE_DAYS.theme - ids.size);
    const times = { createdAt, updatedAt: createdAt };
    const { id } = await tx.theme.create({ data: { workspaceId, name, customName, ...times } });
    const [first] = await tx.style.createManyAndReturn({
      data: styles.map((style) => ({ workspaceId, themeId: id, name: style, createdAt })),
    });
    await tx.theme.update({
      where: { workspaceId_id: { workspaceId, id } },
      data: { currentStyleId: first?.id ?? null, updatedAt: createdAt },
    });
    ids.set(name, id);
  }
  return ids;
}

/** Inserts pages that no step shows. */
export async function insertLandingPages(
  { tx, daysAgo }: Demo,
  workspaceId: bigint,
  pages: readonly PageData[],
  themeIds: Named,
): Promise<void> {
  await tx.page.createMany({
    data: pages.map(({ name, theme, ...page }, index) => {
      const createdAt = daysAgo(AGE_DAYS.page - index);
      return {
        ...{ ...page, workspaceId, name, currentPath: `/${toPath(name, 'page')}` },
        ...{ themeId: requireNamed(themeIds, 'theme', theme), createdAt, updatedAt: createdAt },
      };
    }),
  });
}

/** Has pages of funnels offer products. @param offers by the name of the page */
export async function insertOffers(
  { tx }: Demo,
  workspaceId: bigint,
  offers: NonNullable<WorkspaceData['offers']>,
  productIds: Named,
): Promise<void> {
  const idOf = (name: string) => requireNamed(productIds, 'product', name);
  for (const [name, { products, bumps = {} }] of Object.entries(offers)) {
    const found = await tx.page.findFirstOrThrow({ where: { workspaceId, name } });
    await tx.page.update({
      where: { workspaceId_id: { workspaceId, id: found.id } },
      data: {
        productIds: products.map(idOf),
        bumps: Object.entries(bumps).map(([product, preheadline]) => ({
          ...{ product_id: Number(idOf(product)), preheadline },
        })),
        updatedAt: found.updatedAt,
      },
    });
  }
}
