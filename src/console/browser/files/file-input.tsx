/** The input of files and pictures: drag and drop, paste, choose, preview, reorder and remove. */
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { fileKind } from '../../../collection/types/file.ts';
import { labelOf } from '../api/catalogue.ts';
import { explain } from '../api/explain.ts';
import { IconButton } from '../components/button.tsx';
import { useDragged, useDrop } from '../components/drag.ts';
import { Icon } from '../components/icon.tsx';
import { Problem } from '../components/small.tsx';
import type { InputProps } from '../fields/kind.ts';
import { t } from '../i18n/text.ts';
import {
  joinIds,
  moved,
  Picture,
  type StoredFile,
  splitIds,
  uploadFiles,
  useFileAddress,
  useFiles,
} from './stored-files.tsx';

const IMAGES = 'image/png,image/jpeg,image/gif,image/webp';

export default function FileInput({ field, id, text, onChange, isInvalid, isDisabled, describedBy }: InputProps) {
  const { type, rules, file: fileRules } = field;
  const isList = type.element !== undefined;
  const isImage = fileKind(type) === 'image';
  const ids = splitIds(text);
  const files = useFiles(ids);
  const dragged = useDragged<number>();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  // Files may be moved or removed while an upload runs.
  const latest = useRef(text);
  latest.current = text;
  const add = async (added: readonly File[]) => {
    if (added.length === 0 || isDisabled) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const stored = await uploadFiles(isList ? added : added.slice(0, 1));
      const next = [...(isList ? splitIds(latest.current) : []), ...stored.map((each) => each.id)];
      if (rules.maxCount !== undefined && next.length > rules.maxCount) setProblem(t.files.tooMany(rules.maxCount));
      else onChange(joinIds(next));
    } catch (error) {
      setProblem(explain(error));
    }
    setBusy(false);
  };
  const drop = useDrop((dropped) => void add(dropped));
  const element = useRef<HTMLDivElement>(null);
  usePaste(element, (pasted) => void add(pasted));
  const move = (from: number, to: number) => onChange(joinIds(moved(ids, from, to)));
  const accept = fileRules?.mediaTypes?.join(',') ?? (isImage ? IMAGES : undefined);
  return (
    <div
      ref={element}
      role="group"
      aria-label={labelOf(field)}
      className={`file-input stack ${drop.className}`}
      {...drop.handlers}
    >
      {ids.length > 0 && (
        <ul className="file-list line wrap">
          {ids.map((each, at) => (
            <li
              key={each}
              className="panel stack"
              {...dragged.source(at, isList && !isDisabled)}
              {...dragged.target((from) => move(from, at))}
            >
              <FileItem
                id={each}
                file={files.get(each)}
                isImage={isImage}
                at={at}
                onEarlier={isDisabled || at === 0 ? undefined : () => move(at, at - 1)}
                onLater={isDisabled || at === ids.length - 1 ? undefined : () => move(at, at + 1)}
                onRemove={isDisabled ? undefined : () => onChange(joinIds(ids.toSpliced(at, 1)))}
              />
            </li>
          ))}
        </ul>
      )}
      {!isDisabled && (
        <div className="drop-zone line wrap">
          <Icon name="upload" />
          <span>{isBusy ? t.files.uploading : isList ? t.files.drop : t.files.dropOne}</span>
          <label className="button small" htmlFor={id}>
            {t.importing.chooseFile}
          </label>
          <input
            id={id}
            className="visually-hidden"
            type="file"
            multiple={isList}
            accept={accept}
            aria-invalid={isInvalid}
            aria-describedby={describedBy}
            onChange={({ target }) => {
              void add([...(target.files ?? [])]);
              target.value = '';
            }}
          />
        </div>
      )}
      <Problem>{problem}</Problem>
    </div>
  );
}

/** Receives pasted files. The first input of the page also gets those that are pasted outside of any input of files. */
function usePaste(element: RefObject<HTMLElement | null>, onFiles: (files: readonly File[]) => void): void {
  const receive = useEffectEvent(onFiles);
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const pasted = [...(event.clipboardData?.files ?? [])];
      const target = event.target instanceof Element ? event.target.closest('.file-input') : null;
      if (pasted.length === 0 || (target ?? document.querySelector('.file-input')) !== element.current) return;
      event.preventDefault();
      receive(pasted);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [element]);
}

const PREVIEW = 192;

interface FileItemProps {
  readonly id: string;
  /** Undefined until it has loaded. */
  readonly file: StoredFile | undefined;
  readonly isImage: boolean;
  /** The position in the list. */
  readonly at: number;
  readonly onEarlier: (() => void) | undefined;
  readonly onLater: (() => void) | undefined;
  readonly onRemove: (() => void) | undefined;
}

/** One file of the input: its picture or icon, its name, and its actions. */
function FileItem({ id, file, isImage, at, onEarlier, onLater, onRemove }: FileItemProps) {
  const name = file?.name ?? (isImage ? t.files.picture(at + 1) : t.files.file);
  const address = useFileAddress(id, undefined, name);
  return (
    <>
      <a href={address} target="_blank" rel="noreferrer" aria-label={t.app.openItem(name)} draggable={false}>
        {isImage ? (
          <Picture id={id} size={PREVIEW} alt={name} className="preview" />
        ) : (
          <Icon name="file-text" size={32} />
        )}
      </a>
      <span className="one-line help" title={name}>
        {name}
      </span>
      <span className="line">
        {onEarlier !== undefined && (
          <IconButton icon="arrow-left" className="small" label={t.files.earlier(name)} onClick={onEarlier} />
        )}
        {onLater !== undefined && (
          <IconButton icon="arrow-right" className="small" label={t.files.later(name)} onClick={onLater} />
        )}
        {onRemove !== undefined && (
          <IconButton icon="x" className="small" label={t.app.removeItem(name)} onClick={onRemove} />
        )}
      </span>
    </>
  );
}
