// A bounded memory that owners (teams) share: when it is full, the owner who has most in it loses what it used longest
// ago. So one who asks for ever new things drops only their own, and those who ask for few keep them.

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  /** Who used it last. */
  owner: Owner<Value>;
}

/** What an owner has, in the order of use. */
interface Owner<Value> {
  readonly id: bigint;
  readonly entries: Map<string, Entry<Value>>;
  /** The one that was used last. */
  newest: Entry<Value> | null;
  size: number;
}

interface SharedCacheOptions<Value> {
  /** The sizes of all entries together. */
  readonly max: number;
  /** Whether a value may be dropped now. */
  readonly isFree?: (value: Value) => boolean;
  readonly onDrop?: (value: Value) => void;
}

export class SharedCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  /** Those who have something. */
  readonly #owners = new Map<bigint, Owner<Value>>();
  readonly #options: SharedCacheOptions<Value>;
  #size = 0;

  constructor(options: SharedCacheOptions<Value>) {
    this.#options = options;
  }

  /** Of all entries together. */
  get size(): number {
    return this.#size;
  }

  /** The value that is kept under a key, which now is in use by `owner`. */
  get(key: string, owner: bigint): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // The same again, by the same: most often there is nothing to put in order.
    if (entry.owner.newest === entry && entry.owner.id === owner) return entry.value;
    this.#take(key, entry);
    entry.owner = this.#give(key, entry, owner);
    return entry.value;
  }

  /**
   * Keeps a value under a key that has none. False when there is no room and nothing may be dropped.
   * @param size how much of `max` it takes
   */
  add(key: string, owner: bigint, value: Value, size = 1): boolean {
    const { max } = this.#options;
    if (size > max) return false;
    while (this.#size + size > max) if (!this.#drop(owner, size)) return false;
    const entry = { value, size };
    this.#entries.set(key, Object.assign(entry, { owner: this.#give(key, entry as Entry<Value>, owner) }));
    this.#size += size;
    return true;
  }

  #give(key: string, entry: Entry<Value>, id: bigint): Owner<Value> {
    const owner = this.#owners.get(id) ?? { id, entries: new Map(), newest: null, size: 0 };
    this.#owners.set(id, owner);
    owner.entries.set(key, entry);
    owner.newest = entry;
    owner.size += entry.size;
    return owner;
  }

  #take(key: string, entry: Entry<Value>): void {
    const { owner, size } = entry;
    owner.entries.delete(key);
    if (owner.newest === entry) owner.newest = null;
    owner.size -= size;
    if (owner.entries.size === 0) this.#owners.delete(owner.id);
  }

  /** @param adding who makes room, for something of the size `added` */
  #drop(adding: bigint, added: number): boolean {
    const { onDrop } = this.#options;
    const sizeOf = ({ id, size }: Owner<Value>) => size + (id === adding ? added : 0);
    let most: Owner<Value> | undefined;
    for (const owner of this.#owners.values())
      if (most === undefined || sizeOf(owner) > sizeOf(most)) most = owner;
    const found = most && (this.#oldestOf(most) ?? this.#oldestOfAny());
    if (found === undefined) return false;
    const [key, entry] = found;
    this.#take(key, entry);
    this.#entries.delete(key);
    this.#size -= entry.size;
    onDrop?.(entry.value);
    return true;
  }

  #oldestOf({ entries }: Owner<Value>): [string, Entry<Value>] | undefined {
    const { isFree = () => true } = this.#options;
    for (const found of entries) if (isFree(found[1].value)) return found;
    return undefined;
  }

  #oldestOfAny(): [string, Entry<Value>] | undefined {
    const owners = [...this.#owners.values()].sort((a, b) => b.size - a.size);
    for (const owner of owners) {
      const found = this.#oldestOf(owner);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
