// A bounded memory that owners (teams) share: when it is full, the owner who has most in it loses what it used longest
// ago. So one who asks for ever new things drops only their own, and those who ask for few keep them.

interface Entry<Value> {
  readonly value: Value;
  /** Who used it last. */
  owner: bigint;
  /** When that was, in uses. */
  used: number;
}

interface SharedCacheOptions<Value> {
  readonly max: number;
  /** Whether a value may be dropped now. */
  readonly isFree?: (value: Value) => boolean;
  readonly onDrop?: (value: Value) => void;
}

export class SharedCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #options: SharedCacheOptions<Value>;
  #uses = 0;

  constructor(options: SharedCacheOptions<Value>) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value that is kept under a key, which now is in use by `owner`. */
  get(key: string, owner: bigint): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.owner = owner;
    entry.used = ++this.#uses;
    return entry.value;
  }

  /** Keeps a value under a key that has none. False when there is no room and nothing may be dropped. */
  add(key: string, owner: bigint, value: Value): boolean {
    if (this.#entries.size >= this.#options.max && !this.#drop(owner)) return false;
    this.#entries.set(key, { value, owner, used: ++this.#uses });
    return true;
  }

  /** Looks at every entry: what is added costs more than that by far. */
  #drop(adding: bigint): boolean {
    const { isFree = () => true, onDrop } = this.#options;
    const counts = new Map([[adding, 1]]);
    for (const { owner } of this.#entries.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    let drop: [string, Entry<Value>] | undefined;
    let most = 0;
    for (const [key, entry] of this.#entries) {
      const has = counts.get(entry.owner) ?? 0;
      if (!isFree(entry.value) || has < most || (has === most && drop && entry.used > drop[1].used)) continue;
      drop = [key, entry];
      most = has;
    }
    if (drop === undefined) return false;
    this.#entries.delete(drop[0]);
    onDrop?.(drop[1].value);
    return true;
  }
}
