import { expect } from 'chai';
import { commonTools } from '../../src/domain/common-tools.ts';
import type { StoredTool } from '../../src/domain/tool.ts';
import { readTool, toolJson } from '../../src/domain/tool-json.ts';

/** As workspace files write them. */
const common = (own: readonly unknown[], live: readonly unknown[]) =>
  commonTools(
    own.map((each) => readTool(each)) as readonly StoredTool[],
    live.map((each) => readTool(each)) as readonly StoredTool[],
  ).map(toolJson);
const tools = (list: readonly unknown[]) => list.map((each) => toolJson(readTool(each)));

describe('the tools of an older version that the live one has as well', () => {
  const http = (name: string, more: object = {}) => ({
    http: { name, method: 'GET', url: 'https://a.example', input_schema: { type: 'object' }, ...more },
  });

  it('are those of the same name and kind, and no others', () => {
    const all = [
      'search_web',
      'documents',
      { connection: 'erp' },
      { database: 'sales' },
      http('rate'),
      { agent: 'Clerk' },
    ];
    expect(common(all, all)).to.deep.equal(tools(all));
    expect(common(all, [])).to.deep.equal([]);
    expect(common([], all)).to.deep.equal([]);
    expect(common(all, [{ connection: 'crm' }, { database: 'erp' }, http('sales'), { agent: 'Sales' }])).to.deep.equal(
      [],
    );
  });

  it('do what both versions let them do', () => {
    const write = { connection: 'erp', write: true };
    for (const [own, live] of [
      [write, { connection: 'erp' }],
      [{ connection: 'erp' }, write],
    ])
      expect(common([own], [live])).to.deep.equal(tools([{ connection: 'erp', write: false }]));
    expect(common([write], [write])).to.deep.equal(tools([write]));
    expect(common([write], [{ ...write, requires_approval: true }])).to.deep.equal(
      tools([{ ...write, requires_approval: true }]),
    );
    expect(common([{ ...write, requires_approval: true }], [write])).to.deep.equal(
      tools([{ ...write, requires_approval: true }]),
    );
  });

  it('write after foreign content only where both versions allow it', () => {
    const erp = (untrusted?: string) => ({ connection: 'erp', write: true, ...(untrusted && { untrusted }) });
    for (const [own, live, both] of [
      ['allow', 'allow', 'allow'],
      ['allow', undefined, undefined],
      ['allow', 'refuse', 'refuse'],
      [undefined, 'refuse', 'refuse'],
      [undefined, undefined, undefined],
    ] as const) {
      expect(common([erp(own)], [erp(live)])).to.deep.equal(tools([erp(both)]));
      expect(common([erp(live)], [erp(own)])).to.deep.equal(tools([erp(both)]));
    }
  });

  it('go where the live one goes, with its token, by the same method', () => {
    const live = http('rate', { url: 'https://new.example', headers: { Authorization: 'Bearer new' } });
    expect(common([http('rate', { headers: { Authorization: 'Bearer old' } })], [live])).to.deep.equal(tools([live]));
    expect(common([http('rate')], [http('rate', { method: 'POST' })])).to.deep.equal([]);
    expect(common([{ mcp: { url: 'https://a.example' } }], [{ mcp: { url: 'https://b.example' } }])).to.deep.equal([]);
    expect(
      common(
        [{ mcp: { name: 'crm', url: 'https://a.example' } }],
        [{ mcp: { name: 'crm', url: 'https://b.example' } }],
      ),
    ).to.deep.equal(tools([{ mcp: { name: 'crm', url: 'https://b.example' } }]));
  });

  it('are no more than those of the live one, however often an entry stands there', () => {
    const [read, write] = [{ connection: 'erp' }, { connection: 'erp', write: true, requires_approval: true }];
    expect(common([read, write, write], [read, write])).to.deep.equal(tools([read, write]));
    expect(common([write, write], [read])).to.deep.equal(tools([{ ...read, requires_approval: true }]));
  });
});
