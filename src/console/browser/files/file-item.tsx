/** One file of an input: its picture or icon, its name, and its actions. */
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { t } from '../i18n/text.ts';
import { Picture, type StoredFile, useFileAddress } from './stored-files.tsx';

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

export function FileItem({ id, file, isImage, at, onEarlier, onLater, onRemove }: FileItemProps) {
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
