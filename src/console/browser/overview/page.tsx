import { t } from '../i18n/text.ts';

export default function Page() {
  return (
    <section className="page">
      <h1>{t.app.overview}</h1>
    </section>
  );
}
