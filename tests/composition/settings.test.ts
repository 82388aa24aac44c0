import { expect } from 'chai';
import { readConfig } from '../../src/composition/config.ts';

describe('the settings', () => {
  it('do not count spaces and line ends around a value, as a file of them may have', () => {
    const config = readConfig({
      BASE_URL: ' https://portico.example.com/\r',
      PORT: '8080\r\n',
      LOG_LEVEL: ' warn',
      S3_BUCKET: ' \r',
      OPENAI_API_KEY: 'sk-1 ',
    });
    expect(config).to.include({
      baseUrl: 'https://portico.example.com',
      authUrl: 'https://portico.example.com',
      port: 8080,
      logLevel: 'warn',
      s3Bucket: null,
      openaiApiKey: 'sk-1',
    });
  });
});
