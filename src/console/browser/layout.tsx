/**
 * The frame around every page: bar, menu and shared dialogs. It is plain HTML over react-admin's state, since every
 * page waits for it.
 */
import { Box, LinearProgress } from '@mui/material';
import { type ReactNode, Suspense } from 'react';
import { ConsoleBar } from './bar.tsx';
import { CredentialsDialog } from './credentials-dialog.tsx';
import { layoutStyle } from './layout-style.ts';
import { SideMenu } from './menu.tsx';
import { ConflictDialog } from './products/form/conflict-dialog.tsx';
import { PageBoundary } from './shared/page/page-boundary.tsx';
import { UndoBar } from './shared/undo/undo.tsx';

export function ConsoleLayout({ children }: { readonly children: ReactNode }) {
  return (
    <Box className="layout" sx={layoutStyle}>
      <button type="button" className="skip" onClick={() => document.getElementById('main-content')?.focus()}>
        Skip to content
      </button>
      <ConsoleBar />
      <main>
        <SideMenu />
        <div id="main-content" tabIndex={-1}>
          <PageBoundary>
            <Suspense fallback={<LinearProgress aria-label="Loading" />}>{children}</Suspense>
          </PageBoundary>
        </div>
      </main>
      <ConflictDialog />
      <CredentialsDialog />
      <UndoBar />
    </Box>
  );
}
