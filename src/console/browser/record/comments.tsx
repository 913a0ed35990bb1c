/** The comments on a row. Those of others appear at once (`use-live-row.ts`); people change their own. */
import { type KeyboardEvent, useId, useState } from 'react';
import { Link } from 'wouter';
import { rowField } from '../../../collection/comments.ts';
import { type Collection, may, type Row } from '../api/catalogue.ts';
import { useRows } from '../api/queries.ts';
import { listAddress, listOf, PAGE_SIZE } from '../api/query/list.ts';
import { equals, keyText } from '../api/query/text.ts';
import { hasAllSettings } from '../api/session/page-data.ts';
import { personOf, session } from '../api/session/session.ts';
import { Button, IconButton } from '../components/button.tsx';
import { ErrorMessage, Labelled, Skeleton } from '../components/small.tsx';
import { formatMoment } from '../fields/dates.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { type RowForm, useDelete, useRowForm } from './use-save.ts';

interface CommentsProps {
  /** The collection of the comments. */
  readonly from: Collection;
  /** The row that they are about. */
  readonly collection: Collection;
  readonly row: Row;
}

/** A comment as the service returns it. */
type Comment = Row & {
  readonly author: string | null;
  readonly text: string;
  readonly created_at: string;
  readonly edited_at: string | null;
};

export default function Comments({ from, collection, row }: CommentsProps) {
  const on: Row = Object.fromEntries(collection.key.map(({ name }) => [rowField(name), row[name]!]));
  const filters = Object.entries(on).map(([name, value]) => [name, equals(value)] as const);
  const query = { ...listOf(from, filters), order: [{ name: 'created_at', isDescending: true }] };
  const { firstRows, total = 0, isLoading, error, refetch } = useRows(query, 0, 0);
  const comments = firstRows(PAGE_SIZE).toReversed() as readonly unknown[] as readonly Comment[];
  return (
    <section className="related comments stack" aria-label={t.record.comments}>
      <header className="line">
        <h2>{t.record.comments}</h2>
        <span className="count">{formatNumber(total)}</span>
        <span className="space" />
        {total > PAGE_SIZE && <Link href={listAddress(query)}>{t.record.showAll(total)}</Link>}
      </header>
      {error !== null && <ErrorMessage error={error} onRetry={refetch} />}
      {isLoading && error === null && <Skeleton lines={2} />}
      {!isLoading && total === 0 && <p className="help">{t.record.noComments}</p>}
      <div className="stack" role="log" aria-label={t.record.comments}>
        {comments.map((each) => (
          <StoredComment key={keyText(from, each)} from={from} comment={each} />
        ))}
      </div>
      {may('create', from) && <NewComment from={from} on={on} />}
    </section>
  );
}

/** Whether the person may change a comment. The service decides. */
const isOwn = ({ author }: Comment): boolean =>
  session === undefined || hasAllSettings || (author !== null && personOf(author) === session.name);

function StoredComment({ from, comment }: { readonly from: Collection; readonly comment: Comment }) {
  const form = useRowForm(from, comment);
  const remove = useDelete(from);
  const [isEdited, setEdited] = useState(form.isChanged);
  const { author, text, created_at, edited_at } = comment;
  const name = author === null ? '' : personOf(author);
  const onSave = async () => {
    if (!form.isChanged || (await form.save()) !== undefined) setEdited(false);
  };
  const onCancel = () => {
    form.reset();
    setEdited(false);
  };
  return (
    <article className="stack">
      <header className="line help">
        {name !== '' && <strong>{name}</strong>}
        <time dateTime={created_at}>{formatMoment(created_at)}</time>
        {edited_at !== null && <span title={formatMoment(edited_at)}>{t.record.commentEdited}</span>}
        <span className="space" />
        {isOwn(comment) && !isEdited && may('update', from) && (
          <IconButton icon="pencil" label={t.record.changeComment} onClick={() => setEdited(true)} />
        )}
        {isOwn(comment) && may('delete', from) && (
          <IconButton icon="trash" label={t.record.removeComment} onClick={() => void remove(comment)} />
        )}
      </header>
      {!isEdited && <p className="comment-text">{text}</p>}
      {isEdited && <CommentInput {...{ form, onSave, onCancel }} label={t.app.save} isFocused />}
    </article>
  );
}

function NewComment({ from, on }: { readonly from: Collection; readonly on: Row }) {
  const form = useRowForm(from, undefined, { name: `new ${JSON.stringify(on)}`, preset: on });
  return <CommentInput form={form} label={t.record.addComment} onSave={form.save} />;
}

interface CommentInputProps {
  readonly form: RowForm;
  readonly isFocused?: boolean;
  readonly label: string;
  readonly onSave: () => Promise<unknown>;
  /** Ends an edit without a save. */
  readonly onCancel?: () => void;
}

function CommentInput({ form, isFocused, label, onSave, onCancel }: CommentInputProps) {
  const id = useId();
  const problem = form.problems.text;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void onSave();
    else if (event.key !== 'Escape' || onCancel === undefined) return;
    else onCancel();
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the input within it
    <div className="stack" onKeyDown={onKeyDown}>
      <Labelled id={id} label={t.record.comment} help={t.record.commentKey} problem={problem}>
        <textarea
          id={id}
          rows={3}
          required
          value={form.texts.text ?? ''}
          autoFocus={isFocused}
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={`${id}-help`}
          onChange={({ target }) => form.setText('text', target.value)}
        />
      </Labelled>
      <div className="line">
        <Button aria-disabled={form.isPending} onClick={() => void onSave()}>
          {label}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>{t.app.cancel}</Button>}
      </div>
    </div>
  );
}
