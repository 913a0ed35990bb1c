/** The typed texts of a form, and their values. */
import { useRef, useState } from 'react';
import { type Collection, type Field, isNeeded, mayWrite, type Row, type Value } from '../api/catalogue.ts';
import { problemsByField } from '../api/errors.ts';
import { explainProblem } from '../api/explain.ts';
import { keyText } from '../api/query/keys.ts';
import { newId } from '../base/ids.ts';
import { isSame } from '../base/same.ts';
import { returnedValue } from '../fields/parse.ts';
import { kindOf, parseText, printRow, printValue } from '../fields/registry.ts';
import { type Edits, loadDraft, type StoredDraft, storeDraft } from './stored-drafts.ts';

type Texts = Readonly<Record<string, string>>;

export interface Draft {
  readonly texts: Texts;
  readonly problems: Texts;
  readonly isChanged: boolean;
  /** Whether the texts are from an earlier visit of the page. */
  readonly isRestored: boolean;
  readonly fields: readonly Field[];
  /** The row as the person saw it when the edits began. A save compares with it. */
  readonly shown: Row;
  /** The idempotency key of a new row. It changes with the texts. */
  readonly id: string;
  readonly setText: (name: string, text: string) => void;
  /** Whether someone else changed the field since the person began to type. */
  readonly isOutdated: (name: string) => boolean;
  readonly drop: (name: string) => void;
  /** The changed values; undefined if a text is invalid, which the form then shows. */
  readonly read: () => Row | undefined;
  /** Shows the errors of the service at their fields. Returns whether every error has a field. */
  readonly showErrors: (error: unknown) => boolean;
  readonly reset: () => void;
  /** Forgets the texts that were saved. A text that the person typed meanwhile becomes a draft of the stored row. */
  readonly settle: (saved: Texts, row: Row) => void;
}

interface DraftOptions {
  /** Distinguishes new rows: those of one product from those of another. */
  readonly name?: string;
  /** Values of a new row that the person cannot choose. */
  readonly preset?: Row;
  readonly start?: Texts;
  /** Whether the texts survive the form. */
  readonly isKept?: boolean;
}

/** A draft of a stored row, or of a new one. Only changed fields are parsed and sent. */
export function useDraft(collection: Collection, row: Row | undefined, options: DraftOptions = {}): Draft {
  const isNew = row === undefined;
  const { preset = {}, start = {}, name: suffix = 'new', isKept = true } = options;
  const name = isNew ? `${collection.name} ${suffix}` : placeOf(collection, row);
  const [{ draft, isRestored }, setState] = useState(() => begin(isKept ? loadDraft(name) : undefined, start));
  const [problems, setProblems] = useState<Texts>({});
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
  };
  const replace = (each: string, edit: Edits) => {
    store({ ...without(latest.current.edits, each), ...edit });
    setProblems((all) => without(all, each));
  };
  const drop = (each: string) => replace(each, {});
  return {
    texts: { ...stored, ...Object.fromEntries(Object.entries(edits).map(([each, { text }]) => [each, text])) },
    problems: { ...Object.fromEntries(unknown), ...problems },
    isChanged: changed.length > 0,
    isRestored: isRestored && changed.length > 0,
    fields,
    shown: { ...row, ...Object.fromEntries(changed.map(({ name: each }) => [each, edits[each]!.base])) },
    id: draft.id,
    setText(each, text) {
      const known = latest.current.edits[each];
      const base = known === undefined ? (first[each] ?? null) : known.base;
      const isStored = text === printBase(collection, each, base) && isSame(base, first[each]);
      if (isStored ? known !== undefined : known?.text !== text)
        replace(each, isStored ? {} : { [each]: { text, base } });
    },
    isOutdated: (each) => !isNew && each in edits && !isSame(edits[each]!.base, row[each]),
    drop,
    read() {
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
    showErrors(error) {
      const byField = problemsByField(error);
      const known = Object.entries(byField).filter(([each]) => fields.some((field) => field.name === each));
      setProblems(
        Object.fromEntries(
          known.map(([each, problem]) => [each, explainProblem(problem, collection.byName.get(each))]),
        ),
      );
      return known.length > 0 && known.length === Object.keys(byField).length;
    },
    settle(saved, next) {
      // The save may have waited for the connection, and the person may type in a later form of the same name.
      const later = isKept ? loadDraft(name) : undefined;
      if (later !== undefined && later.id !== latest.current.id) return;
      const rest = Object.entries(latest.current.edits).filter(([each, { text }]) => text !== saved[each]);
      const late = Object.fromEntries(rest.map(([each, { text }]) => [each, { text, base: next[each] ?? null }]));
      if (isNew) {
        storeDraft(placeOf(collection, next), { edits: late, id: '' });
        reset();
      } else store(late, false);
      setProblems({});
    },
    reset,
  };
}

const placeOf = (collection: Collection, row: Row): string => `${collection.name} ${keyText(collection, row)}`;

const without = <Value>(all: Readonly<Record<string, Value>>, name: string): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));

function begin(
  stored: StoredDraft | undefined,
  start: Texts,
): { readonly draft: StoredDraft; readonly isRestored: boolean } {
  const first: Edits = Object.fromEntries(Object.entries(start).map(([each, text]) => [each, { text, base: null }]));
  const { edits, id } = stored ?? { edits: {}, id: newId() };
  return { draft: { edits: { ...edits, ...first }, id }, isRestored: stored !== undefined };
}

export function defaultsOf({ fields }: Collection): Row {
  return Object.fromEntries(
    fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, returnedValue(field, field.default)]])),
  );
}

function printBase(collection: Collection, name: string, base: Value): string {
  return printValue({ collection, field: collection.byName.get(name)! }, base);
}
