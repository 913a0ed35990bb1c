/** The typed texts of a form, and their values. */
import { useState } from 'react';
import { type Collection, type Field, mayWrite, type Row, type Value } from '../api/catalogue.ts';
import { problemsByField } from '../api/errors.ts';
import { explainProblem } from '../api/explain.ts';
import { parseText, printRow } from '../fields/registry.ts';

type Texts = Readonly<Record<string, string>>;

export interface Draft {
  readonly texts: Texts;
  readonly problems: Readonly<Record<string, string>>;
  readonly isChanged: boolean;
  readonly fields: readonly Field[];
  readonly setText: (name: string, text: string) => void;
  /** The changed values; undefined if a text is invalid, which the form then shows. */
  readonly read: () => Row | undefined;
  /** Shows the errors of the service at their fields. Returns whether every error has a field. */
  readonly showErrors: (error: unknown) => boolean;
  readonly reset: () => void;
}

/** A draft of a stored row, or of a new one. Only changed fields are parsed and sent. */
export function useDraft(collection: Collection, row: Row | undefined): Draft {
  const [changed, setChanged] = useState<Texts>({});
  const [problems, setProblems] = useState<Texts>({});
  const isNew = row === undefined;
  const stored = printRow(collection, row ?? {});
  const fields = collection.fields.filter((field) => !isNew || mayWrite(collection, field, true));
  const editable = fields.filter((field) => mayWrite(collection, field, isNew));
  return {
    texts: { ...stored, ...changed },
    problems,
    isChanged: Object.entries(changed).some(([name, text]) => text !== stored[name]),
    fields,
    setText(name, text) {
      setChanged({ ...changed, [name]: text });
      setProblems(Object.fromEntries(Object.entries(problems).filter(([each]) => each !== name)));
    },
    read() {
      const values: Record<string, Value> = {};
      const found: Record<string, string> = {};
      for (const field of editable) {
        const text = changed[field.name] ?? '';
        if (
          isNew
            ? text === '' && !isNeeded(collection, field)
            : (changed[field.name] ?? stored[field.name]) === stored[field.name]
        )
          continue;
        const parsed = parseText({ collection, field }, text);
        if ('value' in parsed) values[field.name] = parsed.value;
        else found[field.name] = parsed.problem;
      }
      setProblems(found);
      return Object.keys(found).length === 0 ? values : undefined;
    },
    showErrors(error) {
      const byField = problemsByField(error);
      const known = Object.entries(byField).filter(([name]) => collection.byName.has(name));
      setProblems(Object.fromEntries(known.map(([name, problem]) => [name, explainProblem(problem)])));
      return known.length > 0 && known.length === Object.keys(byField).length;
    },
    reset() {
      setChanged({});
      setProblems({});
    },
  };
}

/** Whether a new row needs a value that the service does not fill in. */
function isNeeded(collection: Collection, field: Field): boolean {
  if (!field.required || field === collection.assigned) return false;
  return field.default === undefined && field.generated === undefined && field.filled === false;
}
