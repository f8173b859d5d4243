// Signing keys as rows. The private part is encrypted before it reaches this layer.
import type { Prisma, SigningKey } from '#prisma';
import { type Store, type Transaction, withPrisma } from '../store.ts';

export type SigningKeyRow = SigningKey;

/** A stored public key: a JSON Web Key (RFC 7517 §4). */
export type StoredJwk = Readonly<Record<string, string>>;

type NewSigningKey = Pick<SigningKeyRow, 'id' | 'alg' | 'sealedPrivate' | 'createdAt' | 'activeAt'> & {
  readonly publicJwk: StoredJwk;
};

// If two keys become active at the same time, the one without a successor comes last.
const orderBy = [
  { activeAt: 'asc' },
  { retiredAt: { sort: 'asc', nulls: 'last' } },
  { id: 'asc' },
] satisfies Prisma.SigningKeyOrderByWithRelationInput[];

/** Every key, in the order in which they sign. */
export async function findSigningKeys(store: Store): Promise<SigningKeyRow[]> {
  return withPrisma(store, (prisma) => prisma.signingKey.findMany({ orderBy }));
}

/** Reads every key, in the order in which they sign, and locks the table against changes until the transaction ends. */
export async function lockSigningKeys(tx: Transaction): Promise<SigningKeyRow[]> {
  await tx.$executeRaw`lock table signing_keys in share row exclusive mode`;
  return tx.signingKey.findMany({ orderBy });
}

export async function insertSigningKey(tx: Transaction, key: NewSigningKey): Promise<SigningKeyRow> {
  const sealedPrivate = new Uint8Array(key.sealedPrivate);
  return tx.signingKey.create({ data: { ...key, sealedPrivate, publicJwk: { ...key.publicJwk } } });
}

/** Sets the time from which a key signs. */
export async function setActiveAt(tx: Transaction, id: string, activeAt: Date): Promise<SigningKeyRow> {
  return tx.signingKey.update({ where: { id }, data: { activeAt } });
}

/** Sets the time at which every other key is retired. Keys that retire earlier keep their time. */
export async function retireOtherKeys(tx: Transaction, id: string, retiredAt: Date): Promise<void> {
  await tx.signingKey.updateMany({ where: { id: { not: id }, retiredAt: null }, data: { retiredAt } });
}

/** Deletes a key. @returns whether it existed */
export async function deleteSigningKey(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.signingKey.deleteMany({ where: { id } })).count === 1;
}

/** Deletes the keys that are retired by `at`. */
export async function deleteRetiredKeys(tx: Transaction, at: Date): Promise<void> {
  await tx.signingKey.deleteMany({ where: { retiredAt: { lte: at } } });
}
