/** The filters of a list, as chips. */
import { useLocation } from 'wouter';
import { labelOf } from '../api/catalogue.ts';
import { type ListQuery, listAddress } from '../api/list.ts';
import { Chip } from '../components/small.tsx';

export function FilterBar({ query }: { readonly query: ListQuery }) {
  const [, navigate] = useLocation();
  const { collection, filters } = query;
  if (filters.length === 0) return null;
  const remove = (at: number) => navigate(listAddress({ ...query, filters: filters.toSpliced(at, 1) }));
  return (
    <div className="filter-bar">
      {filters.map(([name, condition], at) => {
        const field = collection.byName.get(name);
        const label = `${field === undefined ? name : labelOf(field)} ${condition}`;
        return <Chip key={label} label={label} onRemove={() => remove(at)} />;
      })}
    </div>
  );
}
