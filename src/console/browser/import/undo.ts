/** Takes an import back, as one: only what is still as the import left it. What others have changed since stays theirs. */
import { fields, key, listPath } from '../shared/collection.ts';
import { ask } from '../shared/http.ts';
import { stored } from './cells.ts';
import { ROWS_PER_REQUEST } from './dry-run.ts';
import { currentRows, isStored, type Report } from './send.ts';
import { listed, parts } from './stored-rows.ts';

export interface Undone {
  readonly removed: number;
  readonly restored: number;
  /** Rows of which something was changed by others since, or that are gone. */
  readonly kept: number;
}

export async function undoImport({ created, changed }: Report, progress: (done: number) => void): Promise<Undone> {
  const total = { removed: 0, restored: 0, kept: 0 };
  for (let start = 0; start < created.length; start += ROWS_PER_REQUEST) {
    const part = created.slice(start, start + ROWS_PER_REQUEST);
    const ids = part.map((row) => stored(key, row[key.name]));
    const current = await currentRows(ids.map((id) => ({ id })));
    const untouched = ids.filter((id, at) => {
      const row = current.get(id.same);
      return (
        row !== undefined && fields.every((field) => isStored(row, field, stored(field, part[at]![field.name]).same))
      );
    });
    for (const some of parts(untouched)) {
      await ask(`${listPath}?${key.name}=in.(${some.map(listed).join(',')})`, {
        method: 'DELETE',
        headers: { prefer: 'return=minimal' },
      });
    }
    total.removed += untouched.length;
    total.kept += part.length - untouched.length;
    progress(start + part.length);
  }
  for (let start = 0; start < changed.length; start += ROWS_PER_REQUEST) {
    const part = changed.slice(start, start + ROWS_PER_REQUEST);
    const ids = part.map(({ row }) => stored(key, row[key.name]));
    const current = await currentRows(ids.map((id) => ({ id })));
    const body = part.flatMap(({ changes }, at) => {
      const row = current.get(ids[at]!.same);
      const back = changes.filter(({ field, after }) => row !== undefined && isStored(row, field, after.same));
      if (back.length < changes.length) total.kept++;
      if (back.length === 0) return [];
      return [
        Object.fromEntries([[key.name, ids[at]!.json], ...back.map(({ field, before }) => [field.name, before.json])]),
      ];
    });
    if (body.length > 0) await ask(listPath, { method: 'PATCH', headers: { prefer: 'return=minimal' }, body });
    total.restored += body.length;
    progress(created.length + start + part.length);
  }
  return total;
}
