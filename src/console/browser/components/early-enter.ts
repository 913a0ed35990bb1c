/** Enter that is pressed before the options of the typed text arrived. */
import { type RefObject, useEffect, useState } from 'react';

/** Returns a function that keeps an Enter, or drops it. The input gets the kept one when the options have arrived. */
export function useEarlyEnter(isLoading: boolean, input: RefObject<HTMLInputElement | null>) {
  const [isEntered, setEntered] = useState(false);
  useEffect(() => {
    if (!isEntered || isLoading) return;
    setEntered(false);
    input.current!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  }, [isEntered, isLoading, input]);
  return setEntered;
}
