import { to, useAddress } from '../address.ts';
import { useIsAdmin } from './agents.ts';

type Pages = Readonly<Record<string, string>>;

/** Leads from one of the pages to the others that belong to it; these are for administrators. */
const Tabs = ({ label, pages }: { readonly label: string; readonly pages: Pages }) => {
  const { page } = useAddress();
  if (!useIsAdmin()) return null;
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries(pages).map(([target, name]) => (
        <a href={to(target)} aria-current={page === target ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
};

/** What happened, and what was sent of it. */
export const EventTabs = () => (
  <Tabs label="Events" pages={{ '/events': 'Log', '/deliveries': 'Webhook deliveries' }} />
);

/** Who did what, and what is gone for good. */
export const AuditTabs = () => <Tabs label="Audit" pages={{ '/audit': 'Who did what', '/erasures': 'Erased' }} />;
