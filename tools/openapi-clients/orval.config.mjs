const input = '../../docs/openapi.json';

export default {
  fetch: {
    input,
    output: {
      target: './generated/orval/client.ts',
      schemas: './generated/orval/model',
      client: 'fetch',
      mode: 'tags-split',
    },
  },
  zod: { input, output: { target: './generated/orval-zod/zod.ts', client: 'zod' } },
};
