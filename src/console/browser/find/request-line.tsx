/** The request of the list, as a URL and as a curl command. */
import { groupOf, type ListQuery, listUrl } from '../api/query/list.ts';
import { decoded } from '../api/query/text.ts';
import { base } from '../api/session/page-data.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { t } from '../i18n/text.ts';
import { groupsUrl } from './value-counts.ts';

/** A command for a shell; single quotes end and begin again around a quote. */
export function curlOf(url: string): string {
  return `curl --globoff '${url.replaceAll("'", "'\\''")}'`;
}

export function RequestLine({ query }: { readonly query: ListQuery }) {
  const url = `${base}${listUrl(query)}`;
  const group = groupOf(query);
  const groups = group && `${base}${groupsUrl(query, group)}`;
  return (
    <details className="request-line help">
      <summary>{t.grid.request}</summary>
      <div>
        <a href={url} target="_blank" rel="noreferrer" data-testid="request-url">
          GET {decoded(url)}
        </a>
        {groups !== undefined && (
          <a href={groups} target="_blank" rel="noreferrer">
            GET {decoded(groups)}
          </a>
        )}
        <CopyButton text={curlOf(new URL(url, location.href).href)} label={t.find.copyCurl} />
      </div>
    </details>
  );
}
