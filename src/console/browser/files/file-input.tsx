/** The input of files and pictures: drag and drop, paste, choose, preview, reorder and remove. */
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { fileKind } from '../../../collection/types/file.ts';
import { labelOf } from '../api/catalogue.ts';
import { explain } from '../api/explain.ts';
import { IconButton } from '../components/button.tsx';
import { useDragged, useDrop } from '../components/drag.ts';
import { Icon } from '../components/icon.tsx';
import type { IconName } from '../components/icon-shapes.ts';
import { Problem } from '../components/small.tsx';
import type { InputProps } from '../fields/kind.ts';
import { t } from '../i18n/text.ts';
import { joinIds, moved, Picture, splitIds, uploadFiles, useFileAddress, useFiles } from './stored-files.tsx';

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
          {ids.map((each, at) => {
            const name = files.get(each)?.name ?? (isImage ? t.files.picture(at + 1) : t.files.file);
            const action = (icon: IconName, label: string, onClick: () => void) => (
              <IconButton icon={icon} className="small" label={label} onClick={onClick} />
            );
            return (
              <li
                key={each}
                className="panel stack"
                {...dragged.source(at, isList && !isDisabled)}
                {...dragged.target((from) => move(from, at))}
              >
                <FileItem id={each} name={name} isImage={isImage} />
                {!isDisabled && (
                  <span className="line">
                    {at > 0 && action('arrow-left', t.files.earlier(name), () => move(at, at - 1))}
                    {at < ids.length - 1 && action('arrow-right', t.files.later(name), () => move(at, at + 1))}
                    {action('x', t.app.removeItem(name), () => onChange(joinIds(ids.toSpliced(at, 1))))}
                  </span>
                )}
              </li>
            );
          })}
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
  readonly name: string;
  readonly isImage: boolean;
}

/** One file of the input: its picture or icon, and its name. A click opens it. */
function FileItem({ id, name, isImage }: FileItemProps) {
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
    </>
  );
}
