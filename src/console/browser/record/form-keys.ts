/** The keyboard in a form: Ctrl+S saves it, and after a rejected save the first invalid input has the focus. */
import { type RefObject, useEffect } from 'react';

/** Ctrl+S, or Cmd+S, saves the form, unless a dialog is open. */
export function useSaveKey(form: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) form.current?.requestSubmit();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [form]);
}

/** Focuses the first invalid input, once it is marked. */
export function focusProblem(form: HTMLFormElement | null): void {
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
}
