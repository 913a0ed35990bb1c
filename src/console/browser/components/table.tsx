/** A table with a heading for each column. */
import type { ComponentProps, ReactNode } from 'react';

interface TableProps extends ComponentProps<'table'> {
  readonly heads: readonly ReactNode[];
  /** Whether a last column, without a heading, has the actions of the rows. */
  readonly hasActions?: boolean;
}

export function Table({ heads, hasActions = false, children, ...rest }: TableProps) {
  return (
    <table {...rest}>
      <thead>
        <tr>
          {heads.map((head, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns stay in their places
            <th key={at} scope="col">
              {head}
            </th>
          ))}
          {hasActions && <td />}
        </tr>
      </thead>
      {children}
    </table>
  );
}
