/** The keyboard in a form: Ctrl+S saves it, and after a rejected save the first invalid input has the focus. */
import type { RefObject } from 'react';
import { useShortcut } from '../components/shortcut.ts';

/** Ctrl+S, or Cmd+S, saves the form, unless a dialog is open. */
export function useSaveKey(form: RefObject<HTMLFormElement | null>): void {
  useShortcut('s', (event) => {
    event.preventDefault();
    if (document.querySelector('dialog[open]') === null) form.current?.requestSubmit();
  });
}

/** Focuses the first invalid input, once it is marked. */
export function focusProblem(form: HTMLFormElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
}
