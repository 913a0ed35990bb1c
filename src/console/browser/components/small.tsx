/** Small shared parts: page titles, empty states, skeletons, error messages and labelled inputs. */
import { type ReactNode, useEffect } from 'react';
import { detailsOf, explain } from '../api/explain.ts';
import { Store, useStore } from '../base/store.ts';
import { t } from '../i18n/text.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

const announcement = new Store('');

/** Says a text to screen readers. */
export const announce = (text: string): void => announcement.set(text);

/** The heading of a page, which is also the title of the tab. */
export function PageTitle({ title }: { readonly title: string }) {
  useEffect(() => {
    document.title = `${title} · ${t.app.name}`;
    announce(title);
  }, [title]);
  return <h1>{title}</h1>;
}

/** Announces to screen readers which page is shown, since a navigation loads no document, and other news. */
export function Announcement() {
  return (
    <p className="visually-hidden" role="status">
      {useStore(announcement)}
    </p>
  );
}

interface EmptyStateProps {
  readonly title: string;
  readonly text?: string;
  /** Whether it is all that the page shows. */
  readonly isPage?: boolean;
  /** The next step. */
  readonly children?: ReactNode;
}

export function EmptyState({ title, text, isPage = false, children }: EmptyStateProps) {
  return (
    <div className="empty-state stack">
      {isPage ? <PageTitle title={title} /> : <h2>{title}</h2>}
      {text !== undefined && <p>{text}</p>}
      <div className="line wrap">{children}</div>
    </div>
  );
}

/** The page of an address that has none. */
export function NotFound() {
  return (
    <EmptyState isPage title={t.app.notFound} text={t.app.notFoundText}>
      <Button href="/" kind="primary">
        {t.app.toOverview}
      </Button>
    </EmptyState>
  );
}

/** Grey bars in place of content that loads. */
export function Skeleton({ lines = 6 }: { readonly lines?: number | undefined }) {
  return (
    <div className="skeleton stack" role="status" aria-label={t.app.loading}>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all the same
        <div key={at} className="bar" />
      ))}
    </div>
  );
}

/** A problem with the input, also for screen readers. */
export function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <p className="problem" role="alert">
      {children}
    </p>
  );
}

/** An error in place of content, with the service's own message on request. */
export function ErrorMessage({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const details = detailsOf(error);
  return (
    <div className="notice danger line" role="alert">
      <Icon name="circle-alert" />
      <div>
        <p>{explain(error)}</p>
        {details !== undefined && (
          <details>
            <summary>{t.app.details}</summary>
            <pre>{details}</pre>
          </details>
        )}
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>{t.app.retry}</Button>}
    </div>
  );
}

export interface LoadedProps<Data> {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** The height of the skeleton. */
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}

/** The data of a query, or in its place an error or the skeleton. */
export function Loaded<Data>({ query: { data, error, refetch }, lines, children }: LoadedProps<Data>) {
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton lines={lines} /> : children(data);
}

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly isRequired?: boolean;
  readonly help?: string | undefined;
  readonly problem?: string | undefined;
  readonly children: ReactNode;
}

/** A label, an input, and its help or error. The input has `aria-describedby={`${id}-help`}`. */
export function Labelled({ id, label, isRequired = false, help, problem, children }: LabelledProps) {
  return (
    <div className={`labelled stack${problem === undefined ? '' : ' invalid'}`}>
      <label htmlFor={id}>
        {label}
        {isRequired && <span aria-hidden> *</span>}
      </label>
      {children}
      <p id={`${id}-help`} className={problem === undefined ? 'help' : 'problem'}>
        {problem ?? help}
      </p>
    </div>
  );
}
