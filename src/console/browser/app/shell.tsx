/** The frame of every page: the bar with search and account, the side bar with the collections, and the content. */
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { mainCollections, titleOfCollection, unshown } from '../api/catalogue.ts';
import { pathOf } from '../api/query/text.ts';
import { base, hasSettings, hidesLog } from '../api/session/page-data.ts';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import type { IconName } from '../components/icon-shapes.ts';
import { UndoMenu } from '../components/toasts.tsx';
import { SearchBox } from '../find/search-box.tsx';
import { t } from '../i18n/text.ts';
import { AccountMenu } from './account-menu.tsx';
import { Logo } from './logo.tsx';

export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [location] = useLocation();
  const isList = /^\/c\/[^/]+$/.test(location);
  const before = useRef(location);
  useEffect(() => {
    if (before.current === location) return;
    before.current = location;
    // The drawer of a narrow screen closes, and a focus that the previous page had is not lost.
    setOpen(false);
    if (document.activeElement === document.body) document.getElementById('content')!.focus({ preventScroll: true });
  }, [location]);
  return (
    <div className={`shell${isOpen ? ' drawer-open' : ''}`}>
      {/* biome-ignore lint/a11y/useValidAnchor: the rows of a list have no address of their own */}
      <a className="skip-link" href="#content" onClick={isList ? toRows : undefined}>
        {isList ? t.app.skipToRows : t.app.skip}
      </a>
      <header className="top-bar line">
        <IconButton
          icon="menu"
          label={t.app.menu}
          className="drawer-button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        <Link href="/" className="brand line" aria-label={t.app.name}>
          <Logo />
          <span>{t.app.name}</span>
        </Link>
        <SearchBox />
        <UndoMenu />
        <AccountMenu />
      </header>
      <nav className="side-bar" aria-label={t.app.mainNavigation}>
        <NavLink href="/" icon="house" label={t.app.overview} />
        <h2>{t.app.collections}</h2>
        {mainCollections.map((each) => (
          <NavLink key={each.name} href={`/c${pathOf(each)}`} label={titleOfCollection(each)} />
        ))}
        {unshown.length > 0 && <p className="help">{t.app.unshown(unshown.join(', '))}</p>}
        <span className="space" />
        {!hidesLog && <NavLink href="/changes" icon="rotate-ccw-clock" label={t.app.changes} />}
        {hasSettings && <NavLink href="/settings" icon="sliders-horizontal" label={t.settings.title} />}
        <a className="item" href={`${base}/docs`}>
          <Icon name="book-open" />
          {t.app.apiReference}
        </a>
        <a className="item" href={`${base}/docs/guide`}>
          <Icon name="life-buoy" />
          {t.app.guide}
        </a>
      </nav>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** The rows of a list, in any layout. */
const ROWS = '.list-page :is([role=grid], [role=treeitem], article a)';

function toRows(event: MouseEvent): void {
  const rows = document.querySelector<HTMLElement>(ROWS);
  if (rows === null) return;
  event.preventDefault();
  rows.focus();
}

function NavLink({ href, icon, label }: { readonly href: string; readonly icon?: IconName; readonly label: string }) {
  const [location] = useLocation();
  const place = decodeURI(href);
  const isCurrent = href === '/' ? location === '/' : location === place || location.startsWith(`${place}/`);
  return (
    <Link href={href} className="item" aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={icon} />
      {label}
    </Link>
  );
}
