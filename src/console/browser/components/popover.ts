/** Places an element with the `popover` attribute below its anchor, or above it if there is no space. */
import { type RefObject, useLayoutEffect } from 'react';

const GAP = 4;

export function usePopover(
  isOpen: boolean,
  anchor: RefObject<HTMLElement | null>,
  popup: RefObject<HTMLElement | null>,
): void {
  useLayoutEffect(() => {
    const element = popup.current;
    if (!isOpen || element === null) return;
    element.showPopover();
    return () => {
      if (element.matches(':popover-open')) element.hidePopover();
    };
  }, [isOpen, popup]);
  // Its content may have another size after each rendering.
  useLayoutEffect(() => {
    const [from, element] = [anchor.current, popup.current];
    if (!isOpen || from === null || element === null) return;
    const place = () => {
      const box = from.getBoundingClientRect();
      const { offsetWidth: width, offsetHeight: height } = element;
      const isBelow = box.bottom + GAP + height <= innerHeight || box.top < height;
      element.style.minWidth = `${box.width}px`;
      element.style.left = `${Math.max(GAP, Math.min(box.left, innerWidth - width - GAP))}px`;
      element.style.top = `${isBelow ? box.bottom + GAP : box.top - GAP - height}px`;
    };
    place();
    addEventListener('scroll', place, true);
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, true);
      removeEventListener('resize', place);
    };
  });
}
