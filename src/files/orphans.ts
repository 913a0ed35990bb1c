/**
 * Removes files that no row has referred to for a day, in small steps. A step looks at some files in the order of their
 * ids: it marks orphans with the time, unmarks files that are referred to again, and removes files marked a day ago.
 * Contents that no file uses are removed a day after their upload began, and their bytes after their rows.
 */
import { ORPHAN_HOURS, ORPHANS_PER_STEP } from '../base/limits/files.ts';
import type { Collection } from '../collection/declaration.ts';
import { relationsOf } from '../collection/relations.ts';
import { storeJson } from '../collection/types/type.ts';
import { fieldExpression, keyIs } from '../plan/resolve.ts';
import { ALWAYS, type Predicate } from '../plan/types.ts';
import { idIn, nameOf } from './storage/storage.ts';
import type { FileStore } from './store.ts';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export class Orphans {
  private after = FIRST_ID;
  private afterName = '';
  /** The time a day before this step. */
  private dayAgo = '';
  /** Stored names without a content, and since when. */
  private readonly unknown = new Map<string, string>();

  constructor(private readonly store: FileStore) {}

  /** Resolves to whether files remain to be looked at in this round. */
  async step(now = Date.now()): Promise<boolean> {
    this.dayAgo = new Date(now - ORPHAN_HOURS * 3_600_000).toISOString();
    const { store } = this;
    const { files } = store;
    const page = `select=id&order=id&limit=${ORPHANS_PER_STEP}&id=gt.${this.after}`;
    const ids = (await store.rows<{ id: string }>(store.query(files, page))).map(({ id }) => id);
    const last = ids.at(-1);
    this.after = ids.length < ORPHANS_PER_STEP || last === undefined ? FIRST_ID : last;
    if (last !== undefined) await this.sweep(ids);
    await this.removeContents();
    await this.removeNames(now);
    return this.after !== FIRST_ID || this.afterName !== '';
  }

  /** A write that refers to a file unmarks it first (`retain`), so that none is removed between read and delete. */
  private async sweep(ids: readonly string[]): Promise<void> {
    const { store } = this;
    const { files } = store;
    const listed = await this.listed(ids);
    const isUsed: Predicate = { kind: 'any', terms: [isReferredTo(files), this.among([...listed])] };
    const isOrphan: Predicate = { kind: 'not', term: isUsed };
    const day = this.dayAgo;
    const among = this.among(ids);
    const where = (text: string, condition: Predicate): Predicate => ({
      kind: 'all',
      terms: [among, store.where(files, text), condition],
    });
    await store.execute([
      store.mark(where(`orphaned_at=is.null&created_at=lt.${day}`, isOrphan), new Date().toISOString()),
      store.mark(where('orphaned_at=not.is.null', isUsed), null),
      store.deletion(files, where(`orphaned_at=lt.${day}`, isOrphan)),
    ]);
  }

  private among(ids: readonly string[]): Predicate {
    return { kind: 'in', of: fieldExpression(this.store.files.key[0]!), values: ids };
  }

  /** The files among these that an element of a list refers to. One read for each list finds them all. */
  private async listed(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const { to, inner, list } of relationsOf(this.store.files)) {
      if (list !== 'inner') continue;
      const columns = [{ name: inner.name, expression: fieldExpression(inner) }];
      const value = storeJson(inner.type, ids);
      const where: Predicate = { kind: 'contains', of: fieldExpression(inner), operator: 'ov', value };
      const rows = await this.store.rows<Readonly<Record<string, readonly string[]>>>({
        ...this.store.query(to, ''),
        columns,
        where,
      });
      for (const row of rows) for (const id of row[inner.name]!) found.add(id);
    }
    return found.intersection(new Set(ids));
  }

  /** One at a time, since its chunks are removed with it. */
  private async removeContents(): Promise<void> {
    const { store } = this;
    const { contents } = store;
    const old = store.query(contents, `select=id,sha256&order=created_at&limit=1&created_at=lt.${this.dayAgo}`);
    const users = [store.isContentUsedBy(store.files, 'content'), store.isContentUsedBy(store.variants, 'variant')];
    const unused: Predicate = { kind: 'not', term: { kind: 'any', terms: users } };
    for (let count = 0; count < ORPHANS_PER_STEP; count++) {
      const terms = [old.where, unused];
      const [row] = await store.rows<{ id: string; sha256: string | null }>({ ...old, where: { kind: 'all', terms } });
      if (row === undefined) return;
      const where: Predicate = { kind: 'all', terms: [keyIs(contents, [row.id]), unused] };
      const [result] = await store.execute([store.deletion(contents, where)]);
      const { id, sha256 } = row;
      if (result!.affected > 0 && sha256 !== null) await (await store.storage).delete(nameOf({ id, sha256 }));
    }
  }

  /**
   * Deletes stored names that had no content for a day, which an upload left that was interrupted before its row. After
   * a restore of the database, there is as much time to restore a newer one.
   */
  private async removeNames(now: number): Promise<void> {
    const { store, unknown } = this;
    const storage = await store.storage;
    const page = await storage.list(this.afterName);
    this.afterName = page.next ?? '';
    const names = page.names.filter((name) => idIn(name) !== undefined);
    if (names.length === 0) return;
    const values = names.map((name) => idIn(name)!);
    const where: Predicate = { kind: 'in', of: fieldExpression(store.contents.key[0]!), values };
    const rows = await store.rows<{ id: string }>({ ...store.query(store.contents, 'select=id'), where });
    const known = new Set(rows.map(({ id }) => id));
    for (const name of names) {
      const since = unknown.get(name) ?? new Date(now).toISOString();
      if (known.has(idIn(name)!)) unknown.delete(name);
      else if (since > this.dayAgo) unknown.set(name, since);
      else {
        await storage.delete(name);
        unknown.delete(name);
      }
    }
  }
}

/** Whether a row of any collection refers to the file. */
function isReferredTo(files: Collection): Predicate {
  const relations = relationsOf(files).filter(
    ({ through, inner, referring, list }) => through === undefined && list === undefined && inner === referring,
  );
  return { kind: 'any', terms: relations.map((relation) => ({ kind: 'exists', relation, where: ALWAYS })) };
}
