import { DEPRECATION_HEADERS, SUNSET_NOTICE_DAYS } from '../api-index.ts';
import { errorCodes } from '../error-codes.ts';
import { API, type Operation } from '../operation.ts';
import type { Facts, Section } from './developers.ts';
import { type Html, html, prose } from './html.ts';

const table = (heads: readonly string[], rows: readonly (readonly Html[])[]): Html => html`<div class="wide" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>`;

const accessOf = ({ access }: Operation): Html => {
  if (access === 'public') return html`no credential`;
  return access === 'api-key' ? html`API key` : html`<code>${access.scope}</code>`;
};

export const operationsSection = ({ operations }: Facts): Section => ({
  id: 'operations',
  title: 'Operations',
  body: html`<p>Most answers wrap their payload in <code>data</code>. <code>HEAD</code> works wherever <code>GET</code> does. Times are RFC 3339 in UTC; an
absent value is <code>null</code>; fields may be added to answers at any time.</p>
${table(
  ['Operation', 'Request', 'Needs'],
  operations.map((op) => [
    html`<a href="docs#/${op.tag}/${op.id}">${op.summary}</a>`,
    html`<code>${op.method.toUpperCase()} ${API}${op.path}</code>`,
    accessOf(op),
  ]),
)}`,
});

export const limitsSection = ({ operations, limits }: Facts): Section => {
  const window = `${limits.windowSeconds} seconds`;
  const extra = operations.flatMap(({ summary, limits: each }) =>
    each.map(({ size, per }) => [html`${summary}, besides`, html`${limits[size]} per ${window}`, html`${per}`]),
  );
  return {
    id: 'limits',
    title: 'Limits',
    body: html`${table(
      ['What', 'Requests', 'Per'],
      [
        [html`Every operation with a credential`, html`${limits.requests} per ${window}`, html`credential`],
        [html`Everything without one`, html`${limits.requests} per ${window}`, html`client address`],
        ...extra,
      ],
    )}
<p>A window begins with the first request it counts. Every answer shows the tightest limit it passed through: <code>RateLimit-Limit</code>,
<code>RateLimit-Remaining</code>, and <code>RateLimit-Reset</code> in seconds. A request that one limit refuses uses up none of the others.</p>
<p>A 429 adds <code>Retry-After</code> in seconds, and <code>x-ratelimit-limit</code>, <code>x-ratelimit-remaining</code> and
<code>x-ratelimit-reset</code>, the last one a Unix timestamp. Wait for <code>Retry-After</code>; retry other failures (5xx) with growing pauses and some
chance in them, and do not repeat a 4xx unchanged.</p>
<p>Request bodies may have 1 MiB.</p>`,
  };
};

const EXAMPLE = `{
  "detail": "query.limit must be an integer from 1 to 100, not \\"500\\"",
  "status": 400,
  "code": "invalid_request",
  "request_id": "01989c0e-65f2-7a1b-8c3d-999999999999",
  "errors": [{ "path": "query.limit", "message": "must be an integer from 1 to 100, not \\"500\\"" }]
}`;

export const errors = (): Section => ({
  id: 'errors',
  title: 'Errors',
  body: html`<p>Every error has this form. <code>detail</code> is for people and may change; <code>code</code> is for programs and does not. An invalid request
names every error at once in <code>errors</code>. Give the <code>request_id</code> when you ask for help; you may set it yourself with
<code>X-Request-Id</code>.</p>
<pre tabindex="0"><code>${EXAMPLE}</code></pre>
${table(
  ['Status', 'Code', 'Meaning'],
  Object.entries(errorCodes).map(([code, { status, meaning }]) => [html`${status}`, html`<code>${code}</code>`, prose(meaning)]),
)}`,
});

export const versioning = (): Section => ({
  id: 'versioning',
  title: 'Versioning',
  body: html`<p>The version is in the path: <code>${API}</code> is a boundary of compatibility. Within it fields may be added to answers, and nothing is
renamed or removed: ignore what you do not know.</p>
<p>An operation that is going away says so in two headers, ${DEPRECATION_HEADERS.map((name, index) => html`${index === 0 ? '' : ' and '}<code>${name}</code>`)}:
since when it is deprecated, and when it is switched off. There are at least ${SUNSET_NOTICE_DAYS} days between the two.</p>`,
});
