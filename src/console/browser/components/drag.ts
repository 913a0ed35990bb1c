/** Things of a page that a person moves by dragging. */
import { type DragEvent, useRef } from 'react';

/** `source` has the attributes of a thing that can be dragged, `target` those of a place where it can be dropped. */
export function useDragged<Of>() {
  const dragged = useRef<Of>(undefined);
  const drag = (of: Of | undefined) => () => {
    dragged.current = of;
  };
  return {
    source: (of: Of, isMovable = true) => ({ draggable: isMovable, onDragStart: drag(of), onDragEnd: drag(undefined) }),
    target: (onMove: (of: Of) => void) => ({
      onDragOver: (event: DragEvent) => dragged.current !== undefined && event.preventDefault(),
      onDrop(event: DragEvent) {
        if (dragged.current === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        onMove(dragged.current);
      },
    }),
  };
}

export type Dragged<Of> = ReturnType<typeof useDragged<Of>>;
