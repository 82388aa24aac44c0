import type { Gateway } from '../../application/ports/doctor.ts';

/** The gateway at this address, which the operator chose. */
export const gatewayAt = (url: string): Gateway => ({
  async readRecord(connectionId, entity, apiKey, signal) {
    const query = new URLSearchParams({ entity_id: entity, limit: '1' });
    const address = `${url}/v1/connections/${connectionId}/records?${query}`;
    try {
      const answer = await fetch(address, { headers: { 'x-api-key': apiKey }, redirect: 'error', signal });
      await answer.body?.cancel();
      return answer.status;
    } catch (error) {
      throw error instanceof TypeError ? new Error('the gateway could not be reached', { cause: error }) : error;
    }
  },
});
