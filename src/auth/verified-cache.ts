/**
 * A bounded cache in two halves. When the newer half is full, the older one is dropped, except for entries used meanwhile. Its keys
 * are hashes, which reveal nothing of the credentials.
 */
import { SHA256 } from 'bun';

/** Hashes a credential, so that nothing stored can be sent in its place. */
export function hashOf(text: string): string {
  return SHA256.hash(text, 'base64url');
}

export class VerifiedCache<T> {
  private newer = new Map<string, T>();
  private older = new Map<string, T>();

  constructor(private readonly most: number) {}

  get(name: string): T | undefined {
    const known = this.newer.get(name);
    if (known !== undefined) return known;
    const kept = this.older.get(name);
    if (kept !== undefined) this.set(name, kept);
    return kept;
  }

  set(name: string, value: T): void {
    if (this.newer.size >= this.most / 2 && !this.newer.has(name)) {
      this.older = this.newer;
      this.newer = new Map();
    }
    this.newer.set(name, value);
  }

  delete(name: string): void {
    this.newer.delete(name);
    this.older.delete(name);
  }

  clear(): void {
    this.newer.clear();
    this.older.clear();
  }

  get size(): number {
    return this.newer.size + this.older.size;
  }
}
