/** The area where a person drops or chooses a file. */
import { type DragEvent, useRef, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { t } from '../i18n/text.ts';

export function DropZone({ onOpen }: { readonly onOpen: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined) onOpen(file);
  };
  return (
    <section
      className={`drop-zone line wrap${isOver ? ' over' : ''}`}
      aria-label={t.importing.file}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <Icon name="file-up" size={28} />
      <p>{t.importing.dropHere}</p>
      <Button onClick={() => input.current?.click()}>{t.importing.chooseFile}</Button>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) onOpen(file);
          target.value = '';
        }}
      />
    </section>
  );
}
