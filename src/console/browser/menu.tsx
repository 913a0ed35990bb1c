/** The side menu. On a phone it opens over the page. */
import { useMediaQuery } from '@mui/material';
import { type KeyboardEvent, memo, useEffect, useRef } from 'react';
import { useSidebarState } from 'react-admin';
import { NavLink } from 'react-router-dom';
import { base } from './shared/api/base.ts';
import {
  collectionName,
  collections,
  collectionTitle,
  listPath,
  titleOfCollection,
  unshown,
  version,
} from './shared/api/collection.ts';
import { mayImport } from './shared/api/rights.ts';
import { Icon, type IconName } from './shared/page/icon.tsx';

const PHONE = '(max-width: 599.95px)';
/** Closes the menu after a choice, if it covers the page. */
const TIGHT = '(max-width: 899.95px)';

export const SideMenu = memo(function SideMenu() {
  const isPhone = useMediaQuery(PHONE, { noSsr: true });
  const [isOpen, setOpen] = useSidebarState();
  const chosen = () => {
    if (matchMedia(TIGHT).matches) setOpen(false);
  };
  if (isPhone) {
    return (
      <MenuOverPage isOpen={isOpen} close={() => setOpen(false)}>
        <Ways isOpen chosen={chosen} />
      </MenuOverPage>
    );
  }
  return (
    <div className={isOpen ? 'side' : 'side narrow'}>
      <div>
        <Ways isOpen={isOpen} chosen={chosen} />
      </div>
    </div>
  );
});

interface MenuOverPageProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly children: React.ReactNode;
}

/** A native dialog: Escape or a click beside it closes it. */
function MenuOverPage({ isOpen, close, children }: MenuOverPageProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes a dialog on Escape
    <dialog
      ref={dialog}
      className="side"
      aria-label="Menu"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {children}
    </dialog>
  );
}

interface WaysProps {
  readonly isOpen: boolean;
  readonly chosen: () => void;
}

function Ways({ isOpen, chosen }: WaysProps) {
  const way = (to: string, icon: IconName, text: string) => (
    <NavLink role="menuitem" to={to} end={to === '/'} title={isOpen ? undefined : text} onClick={chosen}>
      <Icon name={icon} />
      {text}
    </NavLink>
  );
  const elsewhere = (href: string, icon: IconName, text: string) => (
    <a key={href} role="menuitem" href={href} title={isOpen ? undefined : text}>
      <Icon name={icon} />
      {text}
    </a>
  );
  return (
    <>
      <div role="menu" aria-label="Pages" tabIndex={-1} onKeyDown={moveByArrows}>
        {way('/', 'overview', 'Overview')}
        {way(listPath, 'rows', collectionTitle)}
        {collections
          .filter(({ name }) => name !== collectionName)
          .map((other) => elsewhere(`?collection=${other.name}#/${other.name}`, 'rows', titleOfCollection(other)))}
        {mayImport && way('/import', 'import', 'Import')}
        {elsewhere(`${base}/docs`, 'reference', 'API reference')}
      </div>
      <p className="about">Version {version}</p>
      {unshown.length > 0 && (
        <p className="about">
          Not shown, because their keys are not a single field or their names need quotes:{' '}
          {unshown.map(({ name }) => name).join(', ')}
        </p>
      )}
    </>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (step === undefined) return;
  const ways = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = ways.indexOf(document.activeElement as HTMLElement);
  ways.at((at + step) % ways.length)?.focus();
  event.preventDefault();
}
