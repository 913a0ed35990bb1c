/** Limits the bytes of all stored variants. Beyond it, the oldest are removed; a later request makes them again. */
import { FILE_FIGURES_MS, VARIANTS_PER_REMOVAL } from '../base/limits/files.ts';
import { fieldExpression } from '../plan/resolve.ts';
import type { Predicate } from '../plan/types.ts';
import { type Content, nameOf } from './storage/storage.ts';
import type { FileStore } from './store.ts';

export class VariantCache {
  private bytes = 0;
  private readAt = Number.NEGATIVE_INFINITY;
  private readonly isVariant: Predicate;

  constructor(
    private readonly store: FileStore,
    private readonly maxBytes: number,
  ) {
    this.isVariant = store.isContentUsedBy(store.variants, 'variant');
  }

  /** Counts a stored variant, and makes room if needed. Other processes also add variants. */
  async add(size: number): Promise<void> {
    this.bytes += size;
    if (performance.now() - this.readAt > FILE_FIGURES_MS) await this.read();
    while (this.bytes > this.maxBytes && (await this.removeOldest()));
  }

  private async read(): Promise<void> {
    this.readAt = performance.now();
    const { store } = this;
    const plan = { ...store.query(store.contents, 'select=size.sum()'), where: this.isVariant };
    const [row] = await store.rows<{ sum: number | null }>(plan);
    this.bytes = row?.sum ?? 0;
  }

  /** Resolves to whether a variant was removed. A content that is also a file stays. */
  private async removeOldest(): Promise<boolean> {
    const { store } = this;
    const page = store.query(store.contents, `select=id,sha256,size&order=created_at,id&limit=${VARIANTS_PER_REMOVAL}`);
    const oldest = await store.rows<Content>({ ...page, where: this.isVariant });
    const values = oldest.map(({ id }) => id);
    const among = (of: (typeof store.contents.key)[number]): Predicate => ({
      kind: 'in',
      of: fieldExpression(of),
      values,
    });
    const unused: Predicate = { kind: 'not', term: store.isContentUsedBy(store.files, 'content') };
    await store.execute([
      store.deletion(store.variants, among(store.variants.byName.get('variant')!)),
      store.deletion(store.contents, { kind: 'all', terms: [among(store.contents.key[0]!), unused] }),
    ]);
    for (const { size } of oldest) this.bytes -= size;
    const left = await store.rows<{ id: string }>({
      ...store.query(store.contents, 'select=id'),
      where: among(store.contents.key[0]!),
    });
    const storage = await store.storage;
    for (const content of oldest) {
      if (!left.some(({ id }) => id === content.id)) await storage.delete(nameOf(content));
    }
    return oldest.length > 0;
  }
}
