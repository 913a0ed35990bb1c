/** A text with the words that a search found. */
import { Fragment, type ReactNode } from 'react';
import { MARKS } from '../api/query/search.ts';

/** `of` is a row of the list. Without marks, or if the text was changed since, `text` itself is shown. */
export function Marked({ of, name, text, children }: MarkedProps) {
  const html = (of[MARKS] as Readonly<Record<string, string>> | null | undefined)?.[name];
  if (html === undefined) return children;
  // Every second part is marked. All other characters of HTML are escaped as numbers.
  const parts = html
    .split(/<\/?mark>/)
    .map((part) => part.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))));
  if (parts.join('') !== text) return children;
  return parts.map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity.
    index % 2 === 1 ? <mark key={index}>{part}</mark> : <Fragment key={index}>{part}</Fragment>,
  );
}

interface MarkedProps {
  readonly of: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly text: unknown;
  readonly children: ReactNode;
}
