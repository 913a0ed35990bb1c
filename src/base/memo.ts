import { MAX_CACHED_TEXT_LENGTH, MAX_CACHED_TEXTS } from './limits/http.ts';

/** Caches a pure function of an immutable object, such as a declaration, for as long as the object lives. */
export function memoize<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const cache = new WeakMap<Key, { readonly value: Made }>();
  return (key) => {
    let entry = cache.get(key);
    if (entry === undefined) {
      entry = { value: make(key) };
      cache.set(key, entry);
    }
    return entry.value;
  };
}

/**
 * Caches the parsed form of a text that clients repeat: `select`, `order`, Accept, Prefer. Equal texts give the same
 * immutable object, by which `plan/read/skeleton.ts` caches plans.
 */
export function memoizeText<Made>(
  make: (text: string) => Made,
  most = MAX_CACHED_TEXTS,
  longest = MAX_CACHED_TEXT_LENGTH,
): (text: string) => Made {
  const cache = new Map<string, Made>();
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const value = make(text);
    if (text.length <= longest) {
      if (cache.size === most) cache.clear();
      cache.set(text, value);
    }
    return value;
  };
}

/** Computes a costly value on first use, which keeps the start fast. */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/** Calls an asynchronous function once on demand, and again if it failed. */
export function lazyAsync<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** A cache of the most recently used values, each built once by the first caller who asks for its key. */
export function keepRecent<Made>(max: number): (key: string, make: () => Promise<Made>) => Promise<Made> {
  const cache = new LruCache<Promise<Made>>(max);
  return (key, make) => {
    const value = cache.get(key) ?? make();
    cache.set(key, value);
    value.catch(() => cache.get(key) === value && cache.delete(key));
    return value;
  };
}

/** A bounded map that drops the least recently used entry. The last entry is the most recent one. */
export class LruCache<T> extends Map<string, T> {
  constructor(private readonly max: number) {
    super();
  }

  override get(key: string): T | undefined {
    const value = super.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  override set(key: string, value: T): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.max) this.delete(this.keys().next().value!);
    return this;
  }
}
