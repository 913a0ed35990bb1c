/** Keys that work anywhere on a page. */
import { useEffect, useEffectEvent } from 'react';

/** Keys do nothing to a page behind a dialog. */
export const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null;

/** Runs an action on Ctrl, or Cmd, with one of these letters. */
export function useShortcut(letters: string, run: (event: KeyboardEvent) => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const isHeld = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (isHeld && event.key.length === 1 && letters.includes(event.key.toLowerCase())) run(event);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
