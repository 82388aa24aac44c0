import { expect } from 'chai';
import { formats, pictures } from '../../src/adapters/text/file-formats.ts';
import { contentTypeOfName } from '../../src/client/content-type.ts';

describe('the content types that the client gives files', () => {
  it('are those that the server knows, for every format that it reads and every kind of picture', () => {
    for (const { type, aliases, extensions } of Object.values(formats)) {
      const [ending] = extensions;
      if (ending !== undefined) expect([type, ...aliases], ending).to.include(contentTypeOfName(`a.${ending}`));
    }
    for (const type of new Set(Object.values(pictures)))
      expect(
        Object.entries(pictures).some(([ending, own]) => own === type && contentTypeOfName(`a.${ending}`) === type),
        type,
      ).to.equal(true);
  });
});
