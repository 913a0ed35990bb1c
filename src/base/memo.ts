import { MAX_CACHED_TEXT_LENGTH, MAX_CACHED_TEXTS } from './limits/http.ts';
import { LruCache } from './lru-cache.ts';

/** Caches a pure function of an immutable object, such as a declaration, for as long as the object lives. */
export function memoize<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, { readonly value: Made }>();
  return (key) => {
    let known = made.get(key);
    if (known === undefined) {
      known = { value: make(key) };
      made.set(key, known);
    }
    return known.value;
  };
}

/**
 * Caches the parsed form of a text that clients repeat: `select`, `order`, Accept, Prefer. Equal texts give the same
 * immutable object, by which `plan/read/skeleton.ts` caches plans.
 */
export function memoizeText<Made>(make: (text: string) => Made): (text: string) => Made {
  const made = new Map<string, Made>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (text.length <= MAX_CACHED_TEXT_LENGTH) {
      if (made.size === MAX_CACHED_TEXTS) made.clear();
      made.set(text, value);
    }
    return value;
  };
}

/** Computes a costly value on first use, which keeps the start fast. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A cache of the most recently used values, each built once by the first caller who asks for its key. */
export function keepRecent<Made>(max: number): (key: string, make: () => Promise<Made>) => Promise<Made> {
  const kept = new LruCache<Promise<Made>>(max);
  return (key, make) => {
    const made = kept.get(key) ?? make();
    kept.set(key, made);
    made.catch(() => kept.get(key) === made && kept.delete(key));
    return made;
  };
}
