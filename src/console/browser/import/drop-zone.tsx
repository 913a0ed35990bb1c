/** The area where a person drops or chooses a file. */
import { useRef } from 'react';
import { Button } from '../components/button.tsx';
import { useDrop } from '../components/drag.ts';
import { Icon } from '../components/icon.tsx';
import { t } from '../i18n/text.ts';

export function DropZone({ onOpen }: { readonly onOpen: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const open = ([file]: readonly File[]) => file !== undefined && onOpen(file);
  const drop = useDrop(open);
  return (
    <section className={`drop-zone line wrap ${drop.className}`} aria-label={t.files.file} {...drop.handlers}>
      <Icon name="file-up" size={28} />
      <p>{t.importing.dropHere}</p>
      <Button onClick={() => input.current?.click()}>{t.importing.chooseFile}</Button>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl"
        hidden
        onChange={({ target }) => {
          open([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </section>
  );
}
