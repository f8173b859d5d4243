// A bounded cache that tenants (teams) share. When it is full, the tenant that uses the most space loses its least recently used entry. So
// a tenant that keeps adding entries evicts its own entries, not those of tenants with few.

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  /** The tenant that used it last; its size counts for this tenant. */
  tenant: Tenant<Value>;
}

/** The entries that a tenant used last, least recently used first. */
interface Tenant<Value> {
  readonly id: bigint;
  readonly entries: Map<string, Entry<Value>>;
  /** The most recently used entry. */
  newest: Entry<Value> | null;
  size: number;
}

interface SharedCacheOptions<Value> {
  /** The maximum of the sizes of all entries together. */
  readonly max: number;
  /** Whether a value may be evicted now; by default every one. */
  readonly canEvict?: (value: Value) => boolean;
  readonly onEvict?: (value: Value) => void;
}

export class SharedCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  /** Tenants with entries, by id. */
  readonly #tenants = new Map<bigint, Tenant<Value>>();
  readonly #options: SharedCacheOptions<Value>;
  #size = 0;

  constructor(options: SharedCacheOptions<Value>) {
    this.#options = options;
  }

  /** The sizes of all entries together. */
  get size(): number {
    return this.#size;
  }

  /** The value of a key; undefined without an entry. The entry becomes the most recently used one of `tenantId`. */
  get(key: string, tenantId: bigint): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // Usually the entry is the most recently used one already.
    if (entry.tenant.newest === entry && entry.tenant.id === tenantId) return entry.value;
    this.#unassign(key, entry);
    entry.tenant = this.#assign(key, entry, tenantId);
    return entry.value;
  }

  /**
   * Adds a value under a key without an entry. Returns false when the value does not fit and nothing more may be evicted.
   * @param size the part of `max` that it takes
   */
  add(key: string, tenantId: bigint, value: Value, size = 1): boolean {
    const { max } = this.#options;
    if (size > max) return false;
    while (this.#size + size > max) if (!this.#evict(tenantId, size)) return false;
    const entry = { value, size };
    this.#entries.set(
      key,
      Object.assign(entry, { tenant: this.#assign(key, entry as Entry<Value>, tenantId) }),
    );
    this.#size += size;
    return true;
  }

  #assign(key: string, entry: Entry<Value>, id: bigint): Tenant<Value> {
    const tenant = this.#tenants.get(id) ?? { id, entries: new Map(), newest: null, size: 0 };
    this.#tenants.set(id, tenant);
    tenant.entries.set(key, entry);
    tenant.newest = entry;
    tenant.size += entry.size;
    return tenant;
  }

  #unassign(key: string, entry: Entry<Value>): void {
    const { tenant, size } = entry;
    tenant.entries.delete(key);
    if (tenant.newest === entry) tenant.newest = null;
    tenant.size -= size;
    if (tenant.entries.size === 0) this.#tenants.delete(tenant.id);
  }

  /** Evicts one entry to make room. @param addingId the tenant that adds an entry of the size `addedSize` */
  #evict(addingId: bigint, addedSize: number): boolean {
    const { onEvict } = this.#options;
    const sizeOf = ({ id, size }: Tenant<Value>) => size + (id === addingId ? addedSize : 0);
    let most: Tenant<Value> | undefined;
    for (const tenant of this.#tenants.values())
      if (most === undefined || sizeOf(tenant) > sizeOf(most)) most = tenant;
    const found = most && (this.#leastRecentlyUsed(most) ?? this.#leastRecentlyUsedOfAny());
    if (found === undefined) return false;
    const [key, entry] = found;
    this.#unassign(key, entry);
    this.#entries.delete(key);
    this.#size -= entry.size;
    onEvict?.(entry.value);
    return true;
  }

  #leastRecentlyUsed({ entries }: Tenant<Value>): [string, Entry<Value>] | undefined {
    const { canEvict = () => true } = this.#options;
    for (const found of entries) if (canEvict(found[1].value)) return found;
    return undefined;
  }

  #leastRecentlyUsedOfAny(): [string, Entry<Value>] | undefined {
    const tenants = [...this.#tenants.values()].sort((a, b) => b.size - a.size);
    for (const tenant of tenants) {
      const found = this.#leastRecentlyUsed(tenant);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
