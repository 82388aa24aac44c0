import { expect } from 'chai';
import fc from 'fast-check';
import { claimNames, labelOfTool, slugOf } from '../../src/domain/tool.ts';
import { readTool, toolJson } from '../../src/domain/tool-json.ts';

describe('the name of a tool', () => {
  it('is lower-case snake case, whatever it was made from', () => {
    const names = {
      Ledger: 'ledger',
      'Sales figures (2026)': 'sales_figures_2026',
      SalesOrders: 'sales_orders',
      'Müller & Söhne': 'muller_sohne',
      '3PL': 'database_3pl',
      会計: 'database',
      '': 'database',
    };
    for (const [text, name] of Object.entries(names)) expect(slugOf(text, 'database'), text).to.equal(name);
  });

  it('always matches what models take, and is nobody else’s', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.subarray(['', '_query', '_list_entities'], { minLength: 1 })), {
          maxLength: 20,
        }),
        (groups) => {
          const taken = new Set<string>();
          const all = groups.flatMap(([text, suffixes]) => claimNames(taken, slugOf(text, 'tool'), suffixes));
          expect(new Set(all).size).to.equal(all.length);
          for (const name of all) expect(name).to.match(/^[a-z][a-z0-9_]{0,47}$/);
        },
      ),
      { verbose: 1 },
    );
  });

  it('gets a number where it is taken, the same one for all tools of a declaration', () => {
    const taken = new Set(['erp_query']);
    expect(claimNames(taken, 'erp', ['_list_tables', '_query'])).to.deep.equal(['erp_2_list_tables', 'erp_2_query']);
    expect(claimNames(taken, 'erp', ['_list_tables'])).to.deep.equal(['erp_list_tables']);
    expect(claimNames(taken, 'x'.repeat(60), ['_query'])[0]).to.have.length(48);
  });
});

describe('a declaration of a tool', () => {
  it('is read in each of its forms', () => {
    expect(readTool('search_web')).to.deep.equal({ kind: 'search_web', requiresApproval: false, untrusted: null });
    expect(readTool({ connection: 'erp', requires_approval: true, untrusted: 'allow' })).to.deep.equal({
      kind: 'connection',
      connection: 'erp',
      write: false,
      requiresApproval: true,
      untrusted: 'allow',
    });
    const documents = { kind: 'documents', requiresApproval: false, untrusted: null };
    for (const entry of ['documents', { documents: 'own' }]) expect(readTool(entry)).to.deep.equal(documents);
    expect(toolJson(readTool({ documents: 'own' }))).to.equal('documents');
    expect(readTool({ agent: 'Reader' })).to.deep.equal({
      kind: 'agent',
      agent: 'Reader',
      requiresApproval: false,
      untrusted: null,
    });
    expect(readTool({ mcp: { url: 'https://x.example', headers: { a: 'b' } } })).to.deep.include({
      mcp: { name: null, url: 'https://x.example', headers: { a: 'b' }, allowedHosts: [] },
    });
    const http = readTool({
      http: { name: 'rate', url: 'https://x.example', input_schema: { properties: { a: {} } } },
    });
    expect(http).to.have.nested.property('http.method', 'GET');
    expect(http).to.have.nested.property('http.inputSchema.type', 'object');
  });

  it('that is broken says so', () => {
    for (const broken of [
      null,
      7,
      'shell',
      [],
      {},
      { http: {} },
      { http: { name: 'a', url: 'https://x', method: 'TRACE' } },
      { mcp: {} },
      { agent: '' },
      { documents: 'all' },
    ]) {
      expect(readTool(broken), JSON.stringify(broken))
        .to.include({ kind: 'unknown' })
        .and.have.property('defect')
        .that.is.a('string');
    }
  });

  it('is stored in the form that it is read from, sealed or not, whether this version knows it or not', () => {
    for (const entry of [
      'search_web',
      'documents',
      { documents: 'own', untrusted: 'allow' },
      { connection: 'erp', write: true, untrusted: 'refuse' },
      { database: 'sales', requires_approval: true },
      { agent: 'Reader' },
      { mcp: { url: 'https://x.example', headers: { a: 'b' }, allow_hosts: ['x.example:80'] } },
      { mcp: { name: 'crm', sealed: 'v1.SECRET' } },
      {
        http: {
          name: 'rate',
          method: 'PUT',
          url: 'https://x.example',
          body: { a: '{a}' },
          input_schema: { properties: { a: {} } },
        },
      },
      { http: { name: 'rate', sealed: 'v1.SECRET' } },
      { queue: 'orders' },
    ]) {
      const tool = readTool(entry);
      const stored: unknown = JSON.parse(JSON.stringify(toolJson(tool)));
      expect(readTool(stored), JSON.stringify(entry)).to.deep.equal(tool);
      expect(JSON.stringify(stored)).to.equal(JSON.stringify(toolJson(readTool(stored))));
    }
  });

  it('is named in reports without its address', () => {
    expect(labelOfTool(readTool({ http: { name: 'rate', url: 'https://x.example?key=SECRET' } }))).to.equal(
      'http rate',
    );
    expect(labelOfTool(readTool({ mcp: { url: 'https://SECRET@x.example' } }))).to.equal('mcp');
    expect(labelOfTool(readTool({ connection: 'erp' }))).to.equal('connection erp');
  });
});
