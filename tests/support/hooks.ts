import { stopBackends } from './backends.ts';

export const mochaHooks = {
  async afterAll() {
    await stopBackends();
  },
};
