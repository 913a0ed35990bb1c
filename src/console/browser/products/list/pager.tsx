/** The range of rows shown, and links to other pages. */
import { Box } from '@mui/material';
import { useListContext } from 'react-admin';
import { ROWS_PER_PAGE } from '../../shared/api/early.ts';
import { formatNumber } from '../../shared/values/numbers.ts';
import { pagerStyle } from './grid-style.ts';

const SIZES = [10, ROWS_PER_PAGE, 50, 100, 250];
/** Page links on each side of the current page. */
const NEIGHBOURS = 1;

export function Pager() {
  const { page, perPage, total = 0, setPage, setPerPage, isPending, error } = useListContext();
  if (isPending || total === 0 || error) return null;
  const last = Math.max(1, Math.ceil(total / perPage));
  const from = (page - 1) * perPage + 1;
  const step = (label: string, text: string, to: number) => (
    <button type="button" aria-label={label} title={label} disabled={to < 1 || to > last} onClick={() => setPage(to)}>
      {text}
    </button>
  );
  return (
    <Box component="nav" aria-label="Pages" sx={pagerStyle}>
      <label>
        Rows per page{' '}
        <select value={perPage} onChange={(event) => setPerPage(Number(event.target.value))}>
          {[...new Set([...SIZES, perPage])].map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
      <span>
        {formatNumber(from)}-{formatNumber(Math.min(from + perPage - 1, total))} of {formatNumber(total)}
      </span>
      {last > 1 && (
        <div>
          {step('Go to previous page', '‹', page - 1)}
          {namedPages(page, last).map((to, index, all) => (
            <span key={to}>
              {index > 0 && to > all[index - 1]! + 1 && '…'}
              <button
                type="button"
                aria-label={`Go to page ${to}`}
                {...(to === page ? { 'aria-current': 'page' as const } : {})}
                onClick={() => setPage(to)}
              >
                {formatNumber(to)}
              </button>
            </span>
          ))}
          {step('Go to next page', '›', page + 1)}
        </div>
      )}
    </Box>
  );
}

/** The first page, the last page, and pages around the current one. */
function namedPages(page: number, last: number): readonly number[] {
  const near = Array.from({ length: 2 * NEIGHBOURS + 1 }, (_, index) => page - NEIGHBOURS + index);
  return [...new Set([1, ...near, last])].filter((each) => each >= 1 && each <= last).sort((one, two) => one - two);
}
