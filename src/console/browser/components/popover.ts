/** Shows an element with the `popover` attribute at its anchor. The style places it. */
import { type RefObject, useLayoutEffect } from 'react';

export function usePopover(
  isOpen: boolean,
  anchor: RefObject<HTMLElement | null>,
  popup: RefObject<HTMLElement | null>,
): void {
  useLayoutEffect(() => {
    const element = popup.current;
    if (!isOpen || element === null) return;
    element.showPopover({ source: anchor.current! });
    return () => {
      if (element.matches(':popover-open')) element.hidePopover();
    };
  }, [isOpen, anchor, popup]);
}
