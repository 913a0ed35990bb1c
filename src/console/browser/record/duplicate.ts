/** Duplicates a row. Values that no second row may have are left out; if one of them is required, a form asks. */
import { isUnique } from '../../../collection/relations.ts';
import { goTo } from '../api/address.ts';
import { type Collection, isNeeded, mayWrite, type Row, titleOf } from '../api/catalogue.ts';
import { ApiError } from '../api/errors.ts';
import { invalidate } from '../api/queries.ts';
import { keyText, pathOf } from '../api/query/text.ts';
import { createRow } from '../api/rows.ts';
import { newId } from '../base/ids.ts';
import { isSame } from '../base/same.ts';
import { notify, notifyError, undoOf } from '../components/toasts.tsx';
import { printRow } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { storeDraft } from './stored-drafts.ts';
import { defaultsOf } from './use-draft.ts';

/** Stores a copy and shows it, or opens the form of a new row that has its values. */
export async function duplicateRow(collection: Collection, row: Row, show: (copy: Row) => void): Promise<void> {
  const writable = collection.fields.filter(
    (field) => mayWrite(collection, field, true) && field !== collection.assigned,
  );
  const copied = writable.filter((field) => field.generated === undefined && !isUnique(collection, field));
  const values = Object.fromEntries(copied.map(({ name }) => [name, row[name] ?? null]));
  const askForRest = () => {
    const texts = printRow(collection, values);
    const defaults = defaultsOf(collection);
    // The form has the defaults, also those without a text: an empty list.
    const others = copied.filter(({ name }) => !isSame(values[name], defaults[name]));
    const edits = others.map(({ name }) => [name, { text: texts[name]!, base: null }] as const);
    const copy = keyText(collection, row);
    storeDraft(`${collection.name} copy ${copy}`, { edits: Object.fromEntries(edits), id: newId() });
    goTo(`/new${pathOf(collection)}?copy=${encodeURIComponent(copy)}`);
  };
  if (writable.some((field) => !copied.includes(field) && isNeeded(collection, field))) return askForRest();
  try {
    const { rows, requestId } = await createRow(collection, values, newId());
    notify(t.record.duplicated(titleOf(collection, row)), undoOf('create', collection, requestId));
    await invalidate(collection);
    show(rows[0]!);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) askForRest();
    else notifyError(error);
  }
}
