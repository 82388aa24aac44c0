import { expect } from 'chai';
import { Container } from 'inversify';
import { readConfig } from '../../src/composition/config.ts';
import { TextExtractor, text } from '../../src/composition/modules/outside.ts';
import { png } from '../fixtures/text/files.ts';
import { quiet } from '../support/log.ts';

const configOf = (env: Readonly<Record<string, string>>) =>
  readConfig({ DATABASE_URL: 'postgres://127.0.0.1/portico', ...env });

describe('the settings of OCR', () => {
  it('are on, in English and German, unless they say otherwise', () => {
    expect(configOf({})).to.deep.include({ ocr: 'auto', ocrLanguages: ['eng', 'deu'] });
    expect(configOf({ OCR: 'off', OCR_LANGUAGES: 'fra, eng' })).to.deep.include({
      ocr: 'off',
      ocrLanguages: ['fra', 'eng'],
    });
  });

  for (const languages of ['klingon', 'eng,eng', '../eng', 'eng+deu']) {
    it(`refuse the languages "${languages}"`, () => {
      expect(() => configOf({ OCR_LANGUAGES: languages })).to.throw(/OCR_LANGUAGES/);
    });
  }

  it('say what the server makes of a picture', async () => {
    const reasons = [];
    for (const OCR of ['auto', 'off']) {
      const { module, close } = text(configOf({ OCR }), { converter: null, warning: null }, quiet, true);
      const container = new Container();
      await container.load(module);
      const [part] = await container.get(TextExtractor).extract({ fileName: 'a.png', contentType: '', data: png });
      reasons.push(part?.unreadable);
      await close?.();
    }
    expect(reasons).to.deep.equal([
      'has no text on its pages',
      'is an image: only a model that takes images can read it',
    ]);
  });
});
