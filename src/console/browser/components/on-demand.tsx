/** A component whose code is loaded when it is first shown. */
import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useLayoutEffect, useState } from 'react';

type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>;

const firstInput = new Promise((resolve) => {
  for (const event of ['pointermove', 'pointerdown', 'keydown']) addEventListener(event, resolve, { once: true });
});

const loadEarly = (load: () => Promise<unknown>) => void firstInput.then(load).catch(() => undefined);

/**
 * Loads a component on demand. If the code cannot be loaded, the nearest boundary shows the error, and its retry loads
 * again. `lazy` alone would repeat the first error for ever. Parts without a fallback are loaded at the first input of
 * the person, ahead of the demand.
 */
export function onDemand<Props extends object>(load: Load<Props>, fallback: ReactNode = null): ComponentType<Props> {
  if (fallback === null) loadEarly(load);
  let part = lazy(attempt as Load<object>);
  async function attempt() {
    try {
      return await load();
    } catch (error) {
      part = lazy(attempt as Load<object>);
      throw error;
    }
  }
  return function OnDemand(props) {
    const [Part] = useState(() => part);
    return <Suspense fallback={fallback}>{createElement(Part, props)}</Suspense>;
  };
}

/** Loads a dialog at the first input as well. The key that asks for it may be the first input. */
export function dialogOnDemand<Props extends object>(load: Load<Props>): ComponentType<Props> {
  loadEarly(load);
  return onDemand(load, <EarlyKeys />);
}

/** Keeps keys away from the page until the dialog is there. Its first input then gets the text. */
function EarlyKeys() {
  useLayoutEffect(() => {
    let typed = '';
    const keep = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopPropagation();
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) typed += event.key;
    };
    addEventListener('keydown', keep, true);
    return () => {
      removeEventListener('keydown', keep, true);
      // The dialog takes the focus in the same commit.
      queueMicrotask(() => typed !== '' && document.execCommand('insertText', false, typed));
    };
  }, []);
  return null;
}

const RETRY_MS = 2_000;

/** Loads a part of a page on demand. While its code cannot be loaded, only the part is missing. */
export function partOnDemand<Props extends object>(load: Load<Props>): ComponentType<Props> {
  return onDemand(async () => {
    for (;;) {
      try {
        return await load();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  });
}
