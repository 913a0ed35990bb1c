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
