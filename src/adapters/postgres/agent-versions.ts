/** Finds the definition that a run is bound to, as `v`. */
export const joinVersion = (run: string) => `join agent_versions v on v.agent_id = ${run}.agent_id and v.version = ${run}.agent_version`;
