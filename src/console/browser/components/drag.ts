/** Things of a page that a person moves by dragging, and files that a person drops on it. */
import { type DragEvent, useRef, useState } from 'react';

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

/** Files that a person drops on an element. */
export function useDrop(onFiles: (files: readonly File[]) => void) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      onFiles([...event.dataTransfer.files]);
    },
  };
  return { className: isOver ? 'over' : '', handlers };
}
