/** The typed texts of a form, and their values. */
import { useRef, useState } from 'react';
import { type Collection, isNeeded, mayWrite, type Row, type Value } from '../api/catalogue.ts';
import { problemsByField } from '../api/errors.ts';
import { explainProblem } from '../api/explain.ts';
import { keyText } from '../api/query/text.ts';
import type { Conflict } from '../api/save-row.ts';
import { newId } from '../base/ids.ts';
import { isSame } from '../base/same.ts';
import { returnedValue } from '../fields/parse.ts';
import { kindOf, parseText, printRow, printValue, shownValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { type Edits, loadDraft, type StoredDraft, storeDraft } from './stored-drafts.ts';

type Texts = Readonly<Record<string, string>>;

export interface DraftOptions {
  /** Distinguishes new rows: those of one product from those of another. */
  readonly name?: string;
  /** Values of a new row that the person cannot choose. */
  readonly preset?: Row;
  readonly start?: Texts;
  /** Whether the texts survive the form. */
  readonly isKept?: boolean;
}

/** A draft of a stored row, or of a new one. Only changed fields are parsed and sent. */
export function useDraft(collection: Collection, row: Row | undefined, options: DraftOptions = {}) {
  const isNew = row === undefined;
  const { preset = {}, start = {}, name: suffix = 'new', isKept = true } = options;
  const name = isNew ? `${collection.name} ${suffix}` : draftName(collection, row);
  const [{ draft, isRestored }, setState] = useState(() => begin(isKept ? loadDraft(name) : undefined, start));
  const [problems, setProblems] = useState<Texts>({});
  /** The stored row that a conflict has shown. The next save replaces its values. */
  const [seen, setSeen] = useState<Row>({});
  // Two inputs may change within one event.
  const latest = useRef(draft);
  const store = (next: Edits, isOld = isRestored) => {
    latest.current = { edits: next, id: newId() };
    if (isKept) storeDraft(name, latest.current);
    setState({ draft: latest.current, isRestored: isOld });
  };
  const { edits } = draft;
  // A new row shows the defaults, which the service sets if the person leaves them.
  const first = row ?? defaultsOf(collection);
  const stored = printRow(collection, first);
  const fields = collection.fields.filter(
    (field) => !isNew || (mayWrite(collection, field, true) && !(field.name in preset)),
  );
  const editable = fields.filter((field) => mayWrite(collection, field, isNew));
  const changed = editable.filter(({ name: each }) => each in edits);
  // The input of a reference ends with the key of a row, or with a text that names none.
  const unknown = changed.flatMap((field) => {
    const place = { collection, field };
    const { text } = edits[field.name]!;
    const parsed = kindOf(place).name === 'reference' && text !== '' && parseText(place, text);
    return parsed && 'problem' in parsed ? [[field.name, parsed.problem] as const] : [];
  });
  const reset = () => {
    store({}, false);
    setProblems({});
    setSeen({});
  };
  const replace = (each: string, edit: Edits) => {
    store({ ...without(latest.current.edits, each), ...edit });
    setProblems((all) => without(all, each));
    if (!(each in edit)) setSeen((all) => without(all, each));
  };
  return {
    texts: { ...stored, ...Object.fromEntries(Object.entries(edits).map(([each, { text }]) => [each, text])) } as Texts,
    problems: { ...Object.fromEntries(unknown), ...problems } as Texts,
    isChanged: changed.length > 0,
    /** Whether the texts are from an earlier visit of the page. */
    isRestored: isRestored && changed.length > 0,
    fields,
    /** The row as the person saw it when the edits began. A save compares with it. */
    shown: {
      ...row,
      ...Object.fromEntries(changed.map(({ name: each }) => [each, each in seen ? seen[each]! : edits[each]!.base])),
    },
    /** The idempotency key of a new row. It changes with the texts. */
    id: draft.id,
    setText(each: string, text: string): void {
      const known = latest.current.edits[each];
      const base = known === undefined ? (first[each] ?? null) : known.base;
      const place = { collection, field: collection.byName.get(each)! };
      const isStored = text === printValue(place, base) && isSame(base, first[each]);
      if (isStored ? known !== undefined : known?.text !== text)
        replace(each, isStored ? {} : { [each]: { text, base } });
    },
    /** Whether someone else changed the field since the person began to type. */
    isOutdated: (each: string): boolean => !isNew && each in edits && !isSame(edits[each]!.base, row[each]),
    drop: (each: string): void => replace(each, {}),
    /** The changed values; undefined if a text is invalid, which the form then shows. */
    read(): Row | undefined {
      const values: Record<string, Value> = {};
      const found: Record<string, string> = {};
      for (const field of isNew ? editable : changed) {
        const text = edits[field.name]?.text ?? '';
        const isCleared = field.name in edits && field.default !== undefined;
        if (isNew && text === '' && !isCleared && !isNeeded(collection, field)) continue;
        const parsed = parseText({ collection, field }, text);
        if ('value' in parsed) values[field.name] = parsed.value;
        else found[field.name] = parsed.problem;
      }
      setProblems(found);
      return Object.keys(found).length === 0 ? { ...values, ...preset } : undefined;
    },
    /** Shows the values of someone else at their fields, and keeps the typed ones. */
    showConflict({ row: theirs, person, fields: disputed }: Conflict): void {
      const shown = Object.fromEntries(disputed.map((each) => [each, theirs[each] ?? null]));
      // The person may have dropped a value while the save ran.
      setSeen((all) => ({ ...all, ...shown }));
      const words = disputed.map((each) => {
        const value = shownValue({ collection, field: collection.byName.get(each)! }, theirs);
        return [each, t.record.conflict(person, value)];
      });
      setProblems(Object.fromEntries(words));
    },
    /** Shows the errors of the service at their fields. Returns whether every error has a field. */
    showErrors(error: unknown): boolean {
      const all = Object.entries(problemsByField(error));
      const known = all.filter(([each]) => fields.some((field) => field.name === each));
      const words = known.map(([each, problem]) => [each, explainProblem(problem, collection.byName.get(each))]);
      setProblems(Object.fromEntries(words));
      return known.length > 0 && known.length === all.length;
    },
    /** Forgets the texts that were saved. A text that the person typed meanwhile becomes a draft of the stored row. */
    settle(saved: Texts, next: Row): void {
      // The save may have waited for the connection, and the person may type in a later form of the same name.
      const later = isKept ? loadDraft(name) : undefined;
      if (later !== undefined && later.id !== latest.current.id) return;
      const rest = Object.entries(latest.current.edits).filter(([each, { text }]) => text !== saved[each]);
      const late = Object.fromEntries(rest.map(([each, { text }]) => [each, { text, base: next[each] ?? null }]));
      if (isNew) {
        storeDraft(draftName(collection, next), { edits: late, id: '' });
        reset();
      } else store(late, false);
      setProblems({});
      setSeen({});
    },
    reset,
  };
}

const draftName = (collection: Collection, row: Row): string => `${collection.name} ${keyText(collection, row)}`;

const without = <Value>(all: Readonly<Record<string, Value>>, name: string): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));

function begin(stored: StoredDraft | undefined, start: Texts) {
  const first: Edits = Object.fromEntries(Object.entries(start).map(([each, text]) => [each, { text, base: null }]));
  const { edits, id } = stored ?? { edits: {}, id: newId() };
  return { draft: { edits: { ...edits, ...first }, id } as StoredDraft, isRestored: stored !== undefined };
}

export function defaultsOf({ fields }: Collection): Row {
  return Object.fromEntries(
    fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, returnedValue(field, field.default)]])),
  );
}
