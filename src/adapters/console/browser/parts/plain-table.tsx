import type { ComponentChildren } from 'preact';

interface PlainTableProps {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** A table to read, which leads nowhere. */
export const PlainTable = ({ head, rows }: PlainTableProps) => (
  <div class="scrolled" tabindex={0}>
    <table>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
