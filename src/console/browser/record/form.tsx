/** The inputs of a row in groups, each with its label, help and error. */
import type { RefObject } from 'react';
import {
  type Collection,
  type Field,
  helpTextOf,
  isNeeded,
  labelOf,
  mayWrite,
  type Row,
  translatedBy,
} from '../api/catalogue.ts';
import { Button } from '../components/button.tsx';
import { isDialogOpen, useShortcut } from '../components/shortcut.ts';
import { Labelled } from '../components/small.tsx';
import { ReferenceLink } from '../fields/reference.tsx';
import { kindOf, shownValue } from '../fields/registry.ts';
import { isLongText } from '../fields/text.tsx';
import { languageName } from '../i18n/locale.ts';
import { t } from '../i18n/text.ts';
import { groupFields } from './groups.ts';
import type { Marks } from './use-live-row.ts';
import type { RowForm } from './use-save.ts';

interface RecordFormProps {
  readonly collection: Collection;
  readonly draft: RowForm;
  /** The stored row; undefined for a new one. */
  readonly row?: Row | undefined;
  readonly marks?: Marks;
  /** Distinguishes the inputs of two forms on one page. */
  readonly name?: string;
}

const NONE: Marks = new Map();

/** The id of an input of a form. */
export const fieldId = (field: string, form = 'field'): string => encodeURIComponent(`${form}-${field}`);

export function RecordForm({ collection, draft, row, marks = NONE, name }: RecordFormProps) {
  const isNew = row === undefined;
  const { sections, languages, files, fixed } = groupFields(collection, draft.fields, isNew);
  const inputs = (fields: readonly Field[]) =>
    fields.map((field) => (
      <FormField
        key={field.name}
        id={fieldId(field.name, name)}
        collection={collection}
        field={field}
        draft={draft}
        row={row}
        changedBy={marks.get(field.name)}
      />
    ));
  const section = (title: string, fields: readonly Field[]) => (
    <section key={title} className="form-section stack" aria-label={title}>
      <h2>{title}</h2>
      <div className="record-form">{inputs(fields)}</div>
    </section>
  );
  return (
    <>
      {sections.map(([part, fields]) =>
        part === '' ? (
          <div key={part} className="record-form">
            {inputs(fields)}
          </div>
        ) : (
          section(t.record.sections[part], fields)
        ),
      )}
      {languages.map(([language, fields]) => section(languageName(language), fields))}
      {files.length > 0 && section(t.record.files, files)}
      {!isNew && fixed.length > 0 && (
        <dl className="fixed-values line wrap help">
          {fixed.map((field) => (
            <div key={field.name} className="line">
              <dt>{labelOf(field)}</dt>
              <dd>{shownValue({ collection, field }, row)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

interface FormFieldProps {
  readonly id: string;
  readonly collection: Collection;
  readonly field: Field;
  readonly draft: RowForm;
  readonly row: Row | undefined;
  /** The person who changed the field while the form was open; null if unknown. */
  readonly changedBy: string | null | undefined;
}

function FormField({ id, collection, field, draft, row, changedBy }: FormFieldProps) {
  const place = { collection, field };
  const { Input, name: kind } = kindOf(place);
  const translated = translatedBy(collection, field);
  const text = draft.texts[field.name] ?? '';
  const problem = draft.problems[field.name];
  const isWide = kind === 'json' || kind === 'file' || isLongText(place, text);
  const isOutdated = draft.isOutdated(field.name);
  const isMarked = changedBy !== undefined;
  return (
    <div className={`form-field${isWide ? ' wide' : ''}${isMarked ? ' marked' : ''}`}>
      <Labelled
        id={id}
        label={
          translated === undefined ? labelOf(field) : `${labelOf(translated.of)} (${languageName(translated.language)})`
        }
        isRequired={row === undefined ? isNeeded(collection, field) : field.required}
        help={helpTextOf(field)}
        problem={problem}
      >
        <Input
          {...place}
          id={id}
          text={text}
          isInvalid={problem === undefined ? undefined : true}
          isDisabled={!mayWrite(collection, field, row === undefined)}
          mayOpenDialog
          describedBy={`${id}-help`}
          onChange={(next) => draft.setText(field.name, next)}
        />
      </Labelled>
      {row !== undefined && <ReferenceLink {...place} text={text} />}
      {isMarked && !isOutdated && <p className="marker">{t.record.changedBy(changedBy ?? t.record.someone)}</p>}
      {isOutdated && (
        <p className="marker">
          {problem === undefined && t.record.changedTo(changedBy ?? t.record.someone, shownValue(place, row))}{' '}
          <Button kind="quiet" onClick={() => draft.drop(field.name)}>
            {t.record.useTheirs}
          </Button>
        </p>
      )}
    </div>
  );
}

/** Ctrl+S, or Cmd+S, saves the form, unless a dialog is open. */
export function useSaveKey(form: RefObject<HTMLFormElement | null>): void {
  useShortcut('s', (event) => {
    event.preventDefault();
    if (!isDialogOpen()) form.current?.requestSubmit();
  });
}

/** Focuses the first invalid input, once it is marked. */
export function focusProblem(form: HTMLFormElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
}

export function focusFirst(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('.record-form :is(input, textarea, select)')?.focus();
}
