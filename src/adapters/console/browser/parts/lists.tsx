import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { EventPattern } from '../../../../client/portico.ts';
import { CREATED_AT, documentOrder } from '../../../../domain/document-order.ts';
import { useAddress } from '../address.ts';
import { type Key, useKeys } from '../keys.ts';
import { type Get, type Loaded, reading } from '../queries.ts';
import { Button, Empty, Heading, Loading } from './basics.tsx';
import { SelectAll, type Selection, SelectOne } from './selection.tsx';
import { useLiveRows, useSteadyRows } from './steady-rows.ts';

/** How the address says in which order a list is. */
export const ORDER: readonly string[] = ['order_by', 'order_direction'];

/** How many a page of a list has. */
const PAGE = 25;

/** A page of a list. */
export const pageOf = <F extends object, T>(
  name: string,
  filter: F,
  read: (get: Get, query: F & { limit: number }) => Promise<T>,
  limit = PAGE,
) => {
  const query = { ...filter, limit };
  return reading([name, query], (get) => read(get, query));
};

/** What the address says of these filters. */
export const filterOf = <T,>(
  query: Readonly<Record<string, string | undefined>>,
  names: readonly (keyof T & string)[],
): T => Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as T;

const move = (by: number) => {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-row] a')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const last = links.length - 1;
  const end = by > 0 ? 0 : last;
  links[at === -1 ? end : Math.max(0, Math.min(last, at + by))]?.focus();
};

/** The keys of every list. */
export const rowKeys: readonly Key[] = [
  { key: 'j', does: 'Next row', act: () => move(1) },
  { key: 'k', does: 'Previous row', act: () => move(-1) },
];

const TYPING_MS = 250;

type SearchProps = { readonly label: string; readonly value: string; readonly change: (text: string) => void };

/** Searches when the user stops typing, and at once by Enter. */
export const SearchField = ({ label, value, change }: SearchProps) => {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = value;
    return () => clearTimeout(timer.current);
  }, [value]);
  useKeys([{ key: '/', does: label, act: () => field.current?.focus() }]);
  const search = () => {
    clearTimeout(timer.current);
    const text = field.current?.value.trim() ?? '';
    if (text !== value) change(text);
  };
  const later = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(search, TYPING_MS);
  };
  return (
    <input
      ref={field}
      type="search"
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      maxlength={200}
      onInput={later}
      onChange={search}
    />
  );
};

interface SelectProps {
  readonly name: string;
  readonly label: string;
  /** The words for no choice, if there need not be one. */
  readonly all?: string;
  /** Those that are called what they are, and others. */
  readonly options: readonly (string | readonly [value: string, text: string])[];
  /** What else of the address is of the choice before. */
  readonly clears?: readonly string[];
}

/** A filter of the address, which leads to the first page of what it finds. */
export const SelectField = ({ name, label, all, options, clears = [] }: SelectProps) => {
  const { query, setQuery } = useAddress();
  const chosen = query[name] ?? '';
  const change = ({ currentTarget }: Event) =>
    setQuery({
      ...Object.fromEntries(['after', 'offset', ...clears].map((each) => [each, null])),
      [name]: (currentTarget as HTMLSelectElement).value,
    });
  return (
    <select aria-label={label} value={chosen} onChange={change}>
      {all && <option value="">{all}</option>}
      {options
        .map((option) => (typeof option === 'string' ? [option, option] : option))
        .map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
    </select>
  );
};

/** Shows that the address has a filter which no field shows, and takes that away. */
export const FilterChip = ({ name, text }: { readonly name: string; readonly text: string }) => {
  const { query, setQuery } = useAddress();
  if (!query[name]) return null;
  return (
    <button type="button" class="chip" onClick={() => setQuery({ [name]: null, after: null })}>
      {text} <span aria-label="remove">×</span>
    </button>
  );
};

/** Forwards by the cursor; backwards by the history of the browser, which has the pages before. */
const Pager = ({ after, next }: { readonly after: string | undefined; readonly next: string | null }) => {
  const { setQuery } = useAddress();
  if (!after && next === null) return null;
  return (
    <div class="pager">
      <Button class="plain" off={!after} onClick={() => setQuery({ after: null })}>
        First page
      </Button>
      <Button class="plain" off={next === null} onClick={() => setQuery({ after: next })}>
        Next page
      </Button>
    </div>
  );
};

interface Lead {
  /** null: it cannot be opened. */
  readonly address: string | null;
  readonly name: string;
  /** A second line. */
  readonly more?: string | null | false;
}

type HeadingCellProps = {
  readonly heading: string;
  readonly look: string | undefined;
  readonly by: string | undefined;
};

/** The heading of a column. One by which the list can be ordered is a button: the second press turns the order round. */
const HeadingCell = ({ heading, look, by }: HeadingCellProps) => {
  const { query, setQuery } = useAddress();
  if (!by)
    return (
      <th scope="col" class={look}>
        {heading}
      </th>
    );
  const isOrdered = (query.order_by ?? CREATED_AT) === by;
  const chosen = query.order_direction === 'asc' || query.order_direction === 'desc' ? query.order_direction : null;
  const { direction } = documentOrder(by, isOrdered ? chosen : null);
  const other = direction === 'asc' ? 'desc' : 'asc';
  const press = () =>
    setQuery({ order_by: by === CREATED_AT ? null : by, order_direction: isOrdered ? other : null, after: null });
  const [sort, mark] = direction === 'asc' ? (['ascending', '\u00a0▲'] as const) : (['descending', '\u00a0▼'] as const);
  return (
    <th scope="col" class={look} aria-sort={isOrdered ? sort : undefined}>
      <button type="button" class="text" onClick={press}>
        {heading}
        {isOrdered && <span aria-hidden="true">{mark}</span>}
      </button>
    </th>
  );
};

/** The heading of the first column, which has the leads, and then those of the others with what they have of an item, and by what the list can be ordered there. */
export type Columns<T> = readonly [string, ...Column<T>[]];
export type Column<T> = readonly [heading: string, cell: (item: T) => ComponentChildren, look?: string, by?: string];

interface TableProps<T> {
  readonly title?: string;
  readonly busy?: boolean;
  readonly items: readonly T[];
  /** What a row names, and leads to. */
  readonly lead: (item: T) => Lead;
  readonly columns: Columns<T>;
  /** Rows can be selected if it is given. */
  readonly selection?: Selection<T> | undefined;
}

/** A table whose rows lead to what they name. */
export const Table = <T,>({ title, busy = false, items, lead, columns, selection }: TableProps<T>) => {
  const steady = useSteadyRows(busy);
  const [first, ...others] = columns;
  const hasValues = others.some(([, , look]) => look?.startsWith('listed') && !look.includes('wide'));
  const row = (item: T) => {
    const { address, name, more } = lead(item);
    return (
      <tr data-row key={address}>
        {selection && (
          <td class="tick">
            <SelectOne selection={selection} item={item} name={name} />
          </td>
        )}
        <td class="name">
          {address === null ? name : <a href={address}>{name}</a>}
          {more && <span class="soft cut">{more}</span>}
        </td>
        {others.map(([, cell, look]) => (
          <td class={look}>{cell(item)}</td>
        ))}
      </tr>
    );
  };
  return (
    <div class="fitting">
      <table {...steady} class={hasValues ? 'list valued' : 'list'} aria-label={title} aria-busy={busy}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" class="tick">
                <SelectAll selection={selection} />
              </th>
            )}
            <th scope="col">{first}</th>
            {others.map(([heading, , look, by]) => (
              <HeadingCell heading={heading} look={look} by={by} />
            ))}
          </tr>
        </thead>
        <tbody>{items.map(row)}</tbody>
      </table>
    </div>
  );
};

/** A page of a list by the filters of the address. It follows what happens by events of these types. */
export const useListed = <T,>(page: ReturnType<typeof reading<T>>, types: readonly EventPattern[]) => {
  const loaded = useQuery({ ...page, placeholderData: keepPreviousData });
  useKeys(rowKeys);
  useLiveRows(types, loaded.refetch);
  return loaded;
};

interface ListingProps {
  readonly title: string;
  readonly noun?: string;
  readonly filter: { readonly after?: string };
  readonly loaded: Loaded;
  readonly count: number | undefined;
  readonly next: string | null | undefined;
  /** Beside the title, and above a list that has something. */
  readonly tabs?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly filters: ComponentChildren;
  /** What is said where there is nothing at all. */
  readonly none: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The frame of a page that lists something by filters, page by page. */
export const Listing = ({
  title,
  noun = title.toLowerCase(),
  filter,
  loaded,
  count,
  next = null,
  tabs,
  actions,
  filters,
  none,
  children,
}: ListingProps) => {
  const { setQuery } = useAddress();
  const isFiltered = Object.keys(filter).some((name) => name !== 'after' && !ORDER.includes(name));
  const isEmpty = count === 0 && next === null && !filter.after;
  const showAll = () => setQuery(Object.fromEntries(Object.keys(filter).map((name) => [name, null])));
  return (
    <>
      <Heading title={title}>
        {tabs}
        {(!isEmpty || isFiltered) && actions}
      </Heading>
      {(!isEmpty || isFiltered) && (
        <form class="filters" role="search" onSubmit={(event: Event) => event.preventDefault()}>
          {filters}
        </form>
      )}
      <Loading of={loaded} />
      {isEmpty &&
        (isFiltered ? (
          <Empty title="Nothing matches">
            <button type="button" class="plain" onClick={showAll}>
              Show all {noun}
            </button>
          </Empty>
        ) : (
          none
        ))}
      {count !== undefined && !isEmpty && (
        <>
          {children}
          <Pager after={filter.after} next={next} />
        </>
      )}
    </>
  );
};
