// A bounded memory that owners (teams) share: when it is full, the owner who has most in it loses what it used longest
// ago. So one who asks for ever new things drops only their own, and those who ask for few keep them.

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  /** Who used it last. */
  owner: bigint;
  /** When that was, in uses. */
  used: number;
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
  readonly #options: SharedCacheOptions<Value>;
  #size = 0;
  #uses = 0;

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
    entry.owner = owner;
    entry.used = ++this.#uses;
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
    this.#entries.set(key, { value, size, owner, used: ++this.#uses });
    this.#size += size;
    return true;
  }

  /** Looks at every entry: what is added costs more than that by far. */
  #drop(adding: bigint, addedSize: number): boolean {
    const { isFree = () => true, onDrop } = this.#options;
    const sizes = new Map([[adding, addedSize]]);
    for (const { owner, size } of this.#entries.values()) sizes.set(owner, (sizes.get(owner) ?? 0) + size);
    let drop: [string, Entry<Value>] | undefined;
    let most = 0;
    for (const [key, entry] of this.#entries) {
      const has = sizes.get(entry.owner) ?? 0;
      if (!isFree(entry.value) || has < most || (has === most && drop && entry.used > drop[1].used)) continue;
      drop = [key, entry];
      most = has;
    }
    if (drop === undefined) return false;
    this.#entries.delete(drop[0]);
    this.#size -= drop[1].size;
    onDrop?.(drop[1].value);
    return true;
  }
}
