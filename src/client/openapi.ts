// Generated from docs/openapi.json by `npm run docs`: edit nothing here.

export interface paths {
    readonly "/api/v1": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Describe this API
         * @description The addresses of the documentation, the OpenAPI description and every resource, authentication, limits and versioning. Needs no credential.
         */
        readonly get: operations["getIndex"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/whoami": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Describe the caller
         * @description Whose credential this is, what it may do, and the limits that count for it. Works with every credential that does not belong to one agent.
         */
        readonly get: operations["whoAmI"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/agents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List agents
         * @description The agents you can see, ordered by name (by code point).
         */
        readonly get: operations["listAgents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/agents/{agent_id}/tools": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the tools of an agent
         * @description What the agent can call in your conversations with it, ordered by name. A tool of a connection or database that you do not see is not there; one that cannot be offered is in `left_out`, with the reason.
         */
        readonly get: operations["listAgentTools"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/agents/{agent_id}/versions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the versions of an agent
         * @description The definitions that the agent has had, newest first; the newest one is live. A definition is made of the instructions, the model, the form of the documents, the tools and the system of record. Applying a workspace file makes the next version if something of it changed.
         */
        readonly get: operations["listAgentVersions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/agents/{agent_id}/versions/{version}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a version of an agent
         * @description The version with its definition, as the workspace file has it, without secrets.
         */
        readonly get: operations["getAgentVersion"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/agents/{agent_id}/versions/{version}/publish": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Publish a version of an agent
         * @description Makes the definition of an older version the newest version, which is live. If the live version has the same definition, nothing is made and it is the answer. Runs keep the version that they have. The workspace file is not changed: the next time it is applied, its definition becomes the newest version again. A definition that would not work any more is refused: its model is not configured, or what it names is gone. Takes no body.
         */
        readonly post: operations["publishAgentVersion"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/agents/{agent_id}/upload-urls": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create upload URLs
         * @description One presigned URL for each file, in the order of the request. `PUT` each file to its `upload_url` with exactly the `headers` of its entry; the URLs take no credential and expire after one hour. A URL takes one file: the same bytes may be sent again, and once a run has the file nothing that is sent to its URL changes it. A file that no run takes within 24 hours is removed. What a workspace stores is limited: a URL counts while it works, with its `size_bytes`, else as the largest file; a user may have half of what is left. Each entry can be an entry of `files` of a new run as it is.
         */
        readonly post: operations["createUploadUrls"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/agents/{agent_id}/run": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create a run
         * @description Queues a run of the agent on uploaded files, a message, or both: at least one file, or a message that is not blank. With `process_together` all files are one unit of work; without it each file is a unit of its own, and they are worked on concurrently. With an `Idempotency-Key` the same request again (within 24 hours, with the same credential) gets the first response again and starts nothing. The run keeps its version of the agent to its end, whatever becomes of the agent. The run continues a W3C `traceparent`. Poll the run at its `Location`.
         */
        readonly post: operations["createRun"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/runs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List runs
         * @description The runs that were created over this API, newest first, without their documents and conversations. Go on with `after`, which neither repeats nor skips while runs are created, or with `offset`: with one of the two.
         */
        readonly get: operations["listRuns"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/runs/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a run
         * @description The run with its units of work, conversations and documents. With `wait` the answer comes as soon as the status of the run changes, or after that many seconds. Send the `ETag` of the last answer as `If-None-Match`: 304 means that nothing has changed, and with `wait` a changed run is answered at once.
         */
        readonly get: operations["getRun"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/runs/{id}/files": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the files of a run with their pages
         * @description What was sent, and what is attached to it, in the order of the run, each file with the size of its pages. Of a run that divides files it is what was divided.
         */
        readonly get: operations["listRunFiles"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/runs/{id}/files/{index}/pages/{page}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a page of a file of a run as an image
         * @description The page as a person sees it, whether it is in a document or not. The first request for a page draws it, which may take seconds; if too many pages wait to be drawn the answer is 429 with `Retry-After`.
         */
        readonly get: operations["getRunPage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/runs/{id}/parts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the parts of a run
         * @description Replaces what the files of a run were divided into. A part with the same name, file and pages as before keeps its document as it is. Every other part is read by its agent, and the documents of parts that are gone go to the trash. The status of the run stays what it is: `parts` say when the new ones are ready. It is 409 while the run is under way, for a run whose agent does not divide files, and (`part_processed`) if a document of a part that would change is processed.
         */
        readonly patch: operations["changeParts"];
        readonly trace?: never;
    };
    readonly "/api/v1/runs/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a run
         * @description Stops a queued or running run; its results stay. Cancelling a cancelled run is 200 as well.
         */
        readonly post: operations["cancelRun"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/runs/{id}/dismiss": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Dismiss a failed run
         * @description Takes a failed run off `GET /work/failed-runs`, for everybody; the run stays as it is. Dismissing it again is 200 too. Takes no body.
         */
        readonly post: operations["dismissRun"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/work": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Count what waits for a person
         * @description Of the agents that you see. No more than 100 of a kind are counted: 100 stands for so many or more.
         */
        readonly get: operations["countWork"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/work/failed-runs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List failed runs that wait for a person
         * @description Runs that were created over this API, failed, and have a unit of work that left no document, newest first, without those that were dismissed. A file that could not be read is a document that is `error`; its run is not listed. Of the runs that failed, the newest thousand are looked at.
         */
        readonly get: operations["listFailedRuns"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Add up what was done and what it cost
         * @description Runs, documents, pages, tokens and costs of the agents that you see, turns of conversations included, by what `group_by` names. Costs are those of the `prices` that the workspace file had when each step ended. Days are those of UTC.
         */
        readonly get: operations["getUsage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/budgets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List budgets with what is left
         * @description The `budgets` of the workspace file that are for all agents, or for one that you see, with what is spent and reserved in the day or month that it is. Spent is what `GET /usage` counts, and what was reserved for steps whose worker died.
         */
        readonly get: operations["listBudgets"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List events
         * @description Everything that happens to the runs that you see and to their documents, oldest first unless `order` says otherwise. Events are in one order, in which none appears before one that was read already: who asks again with `next` misses nothing. A page of large events has fewer than `limit`, at least one. With `wait` the answer comes as soon as there is an event, or after that many seconds. The log is kept for a number of days (`EVENTS_DAYS`); a cursor from before is 410 `cursor_expired`: begin without one.
         */
        readonly get: operations["listEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/runs/{id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List or follow the events of a run
         * @description What happened to the run and its documents, the steps of its units of work among it, oldest first. Events are in one order, in which none appears before one that was read already: who asks again with `next` misses nothing. A page of large events has fewer than `limit`, at least one. With `Accept: text/event-stream` it is a stream of Server-Sent Events that goes on until the run has ended: `id` is a cursor, `event` the type, `data` the event. A stream that breaks is resumed by `Last-Event-ID`, on whatever server; it is answered 204 once there is nothing more to come. A comment is sent every 15 seconds. A credential may have 10 streams open on a server, and a user 30 by what they made themselves; one more is 429 `rate_limited`.
         */
        readonly get: operations["listRunEvents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the webhooks of the workspace
         * @description Where what happens is sent to, by address. The workspace file adds and removes webhooks. A receiver that answers 410 is sent nothing more: its webhook is disabled until the file is applied again.
         */
        readonly get: operations["listWebhooks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List deliveries to webhooks
         * @description What was sent to the webhooks of the workspace and what waits to be sent, newest first, each with how often it was sent and what came of the last attempt. A delivery is kept for 30 days.
         */
        readonly get: operations["listDeliveries"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deliveries/{id}/attempts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the attempts of a delivery
         * @description When a delivery was sent and what came of it each time, newest first. The last 50 attempts are kept, as long as the delivery.
         */
        readonly get: operations["listDeliveryAttempts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deliveries/{id}/redeliver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a delivery again
         * @description Sends the event once more at once, whether it was delivered before or not, with as many attempts as a new one. Its `webhook-id` is the same, by which the receiver recognises it. If it is being sent at the moment, nothing changes; where its webhook was removed or is disabled, this is a conflict. Takes no body.
         */
        readonly post: operations["redeliver"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sources": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the sources of the workspace
         * @description The mailboxes, folders and buckets from which documents come by themselves, by name: those whose agents you see. The workspace file adds and removes them.
         */
        readonly get: operations["listSources"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sources/{name}/intake": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List what came to a source
         * @description What was found, newest first: what became a run, and what did not, with why. What was taken is never taken again: the same bytes under another key are listed as `already taken`, with the first run.
         */
        readonly get: operations["listIntake"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sources/{name}/check": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Look at a source now
         * @description Has a worker look at it now, or once more after the look that is under way, also where it waits because it failed. `last_checked_at` says when that look has ended. One that is `paused` is looked at when it is not any more. Takes no body.
         */
        readonly post: operations["checkSource"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List and search documents
         * @description The documents of the agents that you see, newest first or as `order_by` says, without their data and evidence, and without those in the trash unless `status` is `trashed`. A search that takes long is answered in parts: a page may have fewer documents than `limit`, or none, and still a `next` to go on with; null is the end. One that finds no part of a page within 5 seconds is 400 `query_timeout`; a user has a share of the searches, beyond which the answer is 429.
         */
        readonly get: operations["listDocuments"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export documents
         * @description Every document that a list with these filters has, newest first, with its data and every digit of it; one million documents at most. `ndjson`: a line of JSON for each. `csv`: a line for each, for the documents of one agent or run (`agent_id` or `run_id` is required), with a column for every value that the schema of the agent names and `other` for what it does not; a text that a spreadsheet would run as a formula, on its own or behind a `;`, a tab or a line break in it, has an apostrophe before it. With `rows` there is a line for each row of that list. An export that breaks off midway ends without its last chunk, which HTTP clients report.
         */
        readonly get: operations["exportDocuments"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/batch": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Decide on, process or delete many documents
         * @description Does the same to at most 100 documents, each on its own and each of the revision that you read: what refuses one keeps no other back. `approve` and `reject` need the scope `documents:review`, `process` and `trash` need `runs:write`; without it nothing is done. The results are in the order of the items, each with the document as it is now, or with the error that the operation for one document answers. A few are worked on at a time, and the work goes on if you hang up.
         */
        readonly post: operations["batchDocuments"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a document
         * @description The document with its data, which is valid against the agent’s schema once the status is `ready`, and the evidence for it: for each value, by JSON Pointer, a verbatim quote from the source.
         */
        readonly get: operations["getDocument"];
        readonly put?: never;
        /**
         * Process a document
         * @description Writes the document’s data to the system of record of its agent, once. If that system rejects the data the answer is 200 too, with the status `error` and the system’s reason. If it cannot be reached the answer is 500 and nothing was written: try again. The code `outcome_unknown` is 500 too: the system did not confirm whether it saved the row, and the next attempt looks for the row first. A document whose review is `pending` or `rejected` is not written; what is written is the revision that was approved. For 10 seconds a person may take an approval in the console back: the answer waits for the end of them. Takes no body.
         */
        readonly post: operations["processDocument"];
        /**
         * Delete a document
         * @description Stops all work on the document and moves it to the trash, whatever its status. Deleting it again is 200 too. `POST /documents/{id}/restore` brings it back. One that is held is 409 `held`.
         */
        readonly delete: operations["deleteDocument"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Correct a document
         * @description Makes the next revision of the data by a JSON Patch (RFC 6902), while the document is `ready` or `error`: all of it, or nothing. Numbers keep every digit. Data that would not fit the agent’s schema is refused with everything that is wrong with it, and so is data of more than 4 MiB or 200,000 values. Of what changes, the evidence is the place that you give, or the quote that was there if it has the new value too, or none; its `support` is `person` where a person is all that stands behind a value. The patch may also be the whole body: as `application/json-patch+json`, or as `application/merge-patch+json` (RFC 7396), where `null` removes a member. An approval or a rejection was of the data before: the review is `pending` again. A patch that changes nothing makes no revision.
         */
        readonly patch: operations["correctDocument"];
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/rehearsal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rehearse a document
         * @description What processing the document would come to: the same statements, on the system of record itself, in a transaction that is always rolled back. Constraints that wait for the commit are checked too. The document stays as it is, whatever its status. What a rollback does not bring back: sequences and identity values go on, and what a trigger does outside of its database is done. Takes no body.
         */
        readonly post: operations["rehearseDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Restore a document
         * @description Brings a document back from the trash, as it was. Work that was under way when it was deleted does not go on: a delivery is over, and what was not read yet is `error`. Takes no body.
         */
        readonly post: operations["restoreDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/reread": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Read the files of a document again
         * @description Queues a run on the files that the document was read from, with the message that came with them, by the live version of the same or another agent. The new document takes the place of this one, which goes to the trash as soon as the new one is ready; `POST /documents/{id}/restore` brings it back. If the run fails or is cancelled, this document stays as it is, and its new copy is in the trash. Until then it can still be corrected, decided on and processed: if it is being processed, or is processed, when the new one is ready, it stays too, and each of the two is a duplicate of the other. It is 409 while the document is not read yet or is being processed, once it is processed, and for a document that was not read from a file. Poll the run at its `Location`.
         */
        readonly post: operations["rereadDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/hold": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Hold a document
         * @description Keeps the document from being deleted, by anybody: it does not go to the trash, and its run, its conversation and its files stay, too, until the hold is lifted. Whatever else may be done with it still may. On a document that is held, the new reason takes the place of the one before. For administrators.
         */
        readonly put: operations["holdDocument"];
        readonly post?: never;
        /**
         * Lift the hold of a document
         * @description From then on the document may be deleted. Without a hold nothing happens. For administrators.
         */
        readonly delete: operations["releaseDocument"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/files": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the files of a document
         * @description The files that the document was read from, in the order in which the run has them, and the size of each of their pages. Behind them come what is attached to e-mails and PDF documents among them, as far as it could be read. Of a document that was read from a part of a file, it is that file with the pages of the part alone; it can be downloaded by those who see the run. With a `download_url` browsers save the file. A file whose bytes in the store are not those that were read is refused (`file_changed`), like its pages and their words.
         */
        readonly get: operations["listDocumentFiles"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/files/{index}/pages/{page}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a page of a document as an image
         * @description The page as a person sees it, upright if the file says how it is to be turned. The `boxes` of evidence are fractions of this image. The first request for a page draws it, which may take seconds; if too many pages wait to be drawn the answer is 429 with `Retry-After`.
         */
        readonly get: operations["getDocumentPage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/files/{index}/pages/{page}/words": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the words of a page of a document
         * @description The words of the page in the order of its text, each with its place as fractions of the image of the page: what the `boxes` of evidence are made of. At most 20,000. They are those that were read with the file; if it was read before they were kept, the first request reads it again, which may take as long as a run needs for it.
         */
        readonly get: operations["getDocumentPageWords"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/files/{index}/text": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the text of a file of a document
         * @description The text of the file as it was read: what the model was shown, and what the quotes of evidence stand in. Sheets are lines of cells, an e-mail has its headers first. It comes in parts of at most 100,000 characters, which end with a line where one ends there. A file with pages, or one that was read before its text was kept, is read again for it, which may take as long as a run needs for it.
         */
        readonly get: operations["getDocumentFileText"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/files/{index}/einvoice": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the e-invoice of a file of a document
         * @description The original bytes of the XML: of the file itself, or of the first e-invoice that is attached to it. The file is read again for it. 404 if there is none.
         */
        readonly get: operations["getDocumentEInvoice"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/review": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Approve, reject or reopen a document
         * @description Decides on the revision that you read, while the document is `ready` or `error`. A decision stands until the data changes, or `reopen` takes it back: the review is `pending` again. An approval in the console is held for 10 seconds in which a person may take it back: what processes the document earlier waits for the end of them. What is written to the system of record is exactly the revision that was approved. `by` of the agent’s `review` says who may approve: people and their programs (`client`, the default), only a person in the console (`person`), or one who has not worked on the document (`other_person`). Rejecting and reopening hold a document back, and need none of these.
         */
        readonly post: operations["reviewDocument"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/documents/{id}/revisions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the revisions of a document
         * @description Who changed what of the data, newest first. The first revision is what the agent extracted. A page whose changes are large has fewer than `limit`.
         */
        readonly get: operations["listRevisions"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/approvals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List approvals
         * @description Calls of tools that need the approval of a person (`requires_approval` in the workspace file), of the agents that you see, newest first. A page of large calls has fewer than `limit`, at least one.
         */
        readonly get: operations["listApprovals"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/approvals/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an approval
         * @description The call, what it is given, and what was decided.
         */
        readonly get: operations["getApproval"];
        readonly put?: never;
        /**
         * Decide on a call
         * @description Approves or denies the call whose digest is sent back: what was read is what is decided on. Only a person in the console decides, who has signed in within `PERSON_HOURS`; with `requires_approval: other_person` it is not who started the run, or whose message the call answers. The run, or the turn of the conversation, then goes on by itself, a program at the tool endpoint makes its call again: an approved call is made once, and of one that is denied the model reads the note.
         */
        readonly post: operations["decideApproval"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/connections": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List connections
         * @description The connected systems you can see, ordered by name.
         */
        readonly get: operations["listConnections"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/connections/{connection_id}/entities": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the entities of a connection
         * @description Its tables and views, ordered by identifier.
         */
        readonly get: operations["listEntities"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/connections/{connection_id}/records": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the records of an entity
         * @description In a total order (by primary key, else by all columns), so that paging neither repeats nor skips.
         */
        readonly get: operations["listRecords"];
        readonly put?: never;
        /**
         * Insert a record
         * @description Inserts one row, in a transaction. Only types of connections that accept writes (mysql, postgresql, sqlserver) have this: others answer 400.
         */
        readonly post: operations["insertRecord"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Update a record
         * @description Updates the one row whose key column has the value, in a transaction. A key of more than one row changes none and is 400; a key of no row is 200 with `rows_affected` 0. Only types of connections that accept writes (mysql, postgresql, sqlserver) have this: others answer 400.
         */
        readonly patch: operations["updateRecord"];
        readonly trace?: never;
    };
    readonly "/api/v1/connections/{connection_id}/records/rehearsal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rehearse an update or an insert
         * @description What an update or an insert of a record would come to: its own statements, in a transaction that is always rolled back. Takes the body of that operation, and its name. What a rollback does not bring back: identity values go on, and what a trigger does outside of its database, or commits by itself, is done. Only types of connections that accept writes (mysql, postgresql, sqlserver) have this: others answer 400.
         */
        readonly post: operations["rehearseRecord"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List databases
         * @description The databases you may query, ordered by name.
         */
        readonly get: operations["listDatabases"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{id}/tables": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the tables of a database
         * @description Its tables and views, ordered by schema and name.
         */
        readonly get: operations["listTables"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/databases/{id}/schema": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the schema of a database
         * @description Its tables and views with their columns.
         */
        readonly get: operations["getSchema"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tables/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the records of a table
         * @description Ordered by `order_by` (ties by primary key), else by primary key, else by all columns. With `incremental_value` only rows whose order column is greater, compared as the column’s own type: remember the last value of one page for the next.
         */
        readonly get: operations["readTable"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/query": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Run a query
         * @description Runs one read-only statement, which cannot change the data. A query of a relation outside the schemas of the database is 400, with the name of the relation. A query may take long: hang up to cancel it. A query that exceeds the time limit of the server is 400; `truncated` is whether the server left out rows beyond its limit. If columns have the same name, the later ones are numbered.
         */
        readonly post: operations["runQuery"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/search-web": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Search the web
         * @description Searches the web, reads the first readable pages, and returns a summary of them with their addresses. The summary cites every source, each of which is a page that was read, or says that nothing was found. It can take a minute.
         */
        readonly post: operations["searchWeb"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/threads/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a thread
         * @description A conversation with its messages in stored order. Runs begin conversations: the `conversations` of a run name them. The system prompt is not among the messages. Only users who see a connection or database see what a tool read from it.
         */
        readonly get: operations["getThread"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/threads/{id}/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Continue a thread
         * @description Sends a message to the agent of the conversation and waits for the end of its turn: its answer, and the tools it called. A model that fails is no error of this operation: `error` is why there is no answer. While the conversation is responding, another message is refused with 409; `Retry-After` is when to try again. A turn goes on if its client hangs up. A call that needs the approval of a person ends the turn with a message that says so: it takes the result once the person has decided, and the turn goes on by itself. A message that comes first cancels the call. Tools may start runs that end later.
         *
         *     With `Accept: text/event-stream` it is a stream of Server-Sent Events: `message.delta` while the assistant writes a message, `message` for each message of the assistant and its tools once it is stored, and at the end `done`, with `error` if there is no answer. The deltas of a message are the beginning of its `content`; `message` has all of it. An attempt of the model that fails is made again under another `id`: discard deltas of a message that never comes. A client that reads slowly gets fewer deltas, and every message. A comment is sent every 15 seconds. A stream that ends without `done` broke off: read the thread.
         */
        readonly post: operations["continueThread"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sandbox-snapshots": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the newest sandbox snapshot
         * @description Where to download the newest complete snapshot of a conversation; every property is null if there is none.
         */
        readonly get: operations["getSnapshot"];
        readonly put?: never;
        /**
         * Create a sandbox snapshot
         * @description Records a snapshot of a sandbox with a conversation and returns where to upload it: `PUT` exactly `sizeBytes` bytes to `upload_url`, with the `headers`, within an hour. The properties of this request are in camelCase.
         */
        readonly post: operations["createSnapshot"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your keys
         * @description Your keys, newest first, without those that were revoked, or, for administrators, those of another user of the workspace. The keys themselves are never shown again.
         */
        readonly get: operations["listKeys"];
        readonly put?: never;
        /**
         * Make a key
         * @description A key of the user who asks. A key may do what its user may do, or what its scopes name. One that is made with a key ends with that key, if not before, and its requests count as those of that key. A user has at most 50 keys that work. The answer shows the key, once.
         */
        readonly post: operations["createKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/keys/{id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rotate a key
         * @description Makes a key with the name, the scopes and the lifetime of one of yours, which goes on working for a while and then ends with what was made with it. A key may do what its user may do, or what its scopes name. One that is made with a key ends with that key, if not before, and its requests count as those of that key. A user has at most 50 keys that work. The answer shows the new key, once.
         */
        readonly post: operations["rotateKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Revoke a key
         * @description Ends one of your keys at once, also the one that asks, or, for administrators, a key of another user of the workspace. What was made with the key, keys and invitations, ends with it, and so on; so does a key that it made in its own place, while both work, unless one of them asks. Revoking it again is 200 too.
         */
        readonly delete: operations["revokeKey"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/grants": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List programs with access
         * @description The programs that you have allowed to use Portico on your behalf, newest first; 200 at most.
         */
        readonly get: operations["listGrants"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/grants/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Take the access of a program away
         * @description Ends the access of the program at once: its tokens stop working.
         */
        readonly delete: operations["revokeGrant"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the users of the workspace
         * @description Who may use the workspace, by email. Of those whom the workspace file names, the file says the name and the role; others are added here.
         */
        readonly get: operations["listUsers"];
        readonly put?: never;
        /**
         * Add a user
         * @description Adds a user to the workspace, besides those whom the workspace file names: applying the file keeps them. An address that a user of this server has is 409 `email_taken`.
         */
        readonly post: operations["addUser"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/users/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change a user
         * @description Changes the name or the role of a user, or disables or enables the user. Disabling ends the sessions of the user and the access of their programs; their keys, streams and waiting requests are refused within 5 seconds on every process, and keys work again once the user is enabled. Your own role and state are 409 `own_account`, the last administrator is 409 `last_admin`. Of a user whom the workspace file names, the next `apply` sets name and role as the file says, and enables nobody.
         */
        readonly patch: operations["changeUser"];
        readonly trace?: never;
    };
    readonly "/api/v1/users/{id}/invite": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Invite a user
         * @description Makes an address by which the user sets a password: give it to the user alone. It works once, for seven days, and replaces an earlier one; it is shown this once. A new password ends the sessions of the user and the access of their programs. Takes no body.
         */
        readonly post: operations["inviteUser"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List who did what
         * @description What people and programs did in the workspace, oldest first unless `order` says otherwise: names and pointers, never values. Each entry has the hash of the one before it: `portico audit verify` names the first that was changed, left out, put in or moved. What was done until now is in it.
         */
        readonly get: operations["listAudit"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/audit/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export who did what
         * @description All of it, ascending, a line of JSON for each entry, this export among them. Each entry has the hash of the one before it: `portico audit verify` names the first that was changed, left out, put in or moved. An export that breaks off midway ends without its last chunk, which HTTP clients report.
         */
        readonly get: operations["exportAudit"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/erasures": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List erasures
         * @description The receipts of what was erased in the workspace, newest first.
         */
        readonly get: operations["listErasures"];
        readonly put?: never;
        /**
         * Erase a document, a run or a conversation
         * @description For good: afterwards no word of it is in a dump of the database or in the file store, and its ids are 404. A document, or the conversation in which it was read, goes with its files, its conversation, its revisions and events, and with other documents that were read from the same pages; documents of other parts of a divided file stay, without its pages. A run goes with all of its documents and conversations. Of other conversations that have read it, the turns from there on go. The row in the system of record and the audit log stay. What is held, or shares a file with what is held, is 409 `held`; what is not at rest is 409. A backup from before still has it: its database does not serve until `portico erase --replay`.
         */
        readonly post: operations["erase"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/agents/{agent_id}/mcp": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
            };
            readonly cookie?: never;
        };
        /**
         * Open a stream of the tool protocol
         * @description For clients of older revisions, which wait for notifications of the server. This server sends none.
         */
        readonly get: operations["openMcpStream"];
        readonly put?: never;
        /**
         * Send a message of the tool protocol
         * @description One message of the Model Context Protocol, of any revision up to 2026-07-28; 2025-03-26 has batches. There are no sessions.
         */
        readonly post: operations["sendMcpMessage"];
        /**
         * End a session of the tool protocol
         * @description For clients of older revisions, which end a session. There is none.
         */
        readonly delete: operations["endMcpSession"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface webhooks {
    readonly "run.queued": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A run is queued
         * @description Sent to the webhooks with the event `run.queued`, `run.*` or `*`, with the run as it was then.
         */
        readonly post: operations["onRunQueued"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "run.running": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A run is running
         * @description Sent to the webhooks with the event `run.running`, `run.*` or `*`, with the run as it was then.
         */
        readonly post: operations["onRunRunning"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "run.completed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A run is completed
         * @description Sent to the webhooks with the event `run.completed`, `run.*` or `*`, with the run as it was then.
         */
        readonly post: operations["onRunCompleted"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "run.failed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A run is failed
         * @description Sent to the webhooks with the event `run.failed`, `run.*` or `*`, with the run as it was then.
         */
        readonly post: operations["onRunFailed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "run.cancelled": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A run is cancelled
         * @description Sent to the webhooks with the event `run.cancelled`, `run.*` or `*`, with the run as it was then.
         */
        readonly post: operations["onRunCancelled"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A document is ready
         * @description Sent to the webhooks with the event `document.ready`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentReady"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.processed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A document is processed
         * @description Sent to the webhooks with the event `document.processed`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentProcessed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.error": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A document is error
         * @description Sent to the webhooks with the event `document.error`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentError"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.trashed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A document is trashed
         * @description Sent to the webhooks with the event `document.trashed`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentTrashed"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.review_required": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A document waits for a decision
         * @description Sent to the webhooks with the event `document.review_required`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentReview_required"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.approved": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A document is approved
         * @description Sent to the webhooks with the event `document.approved`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentApproved"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.rejected": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A document is rejected
         * @description Sent to the webhooks with the event `document.rejected`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentRejected"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.changed": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The data of a document has changed
         * @description Sent to the webhooks with the event `document.changed`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentChanged"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "document.restored": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A document is back from the trash
         * @description Sent to the webhooks with the event `document.restored`, `document.*` or `*`, with the document as it was then.
         */
        readonly post: operations["onDocumentRestored"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "approval.requested": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A call of a tool waits for a person
         * @description Sent to the webhooks with the event `approval.requested`, `approval.*` or `*`, with the approval as it was then.
         */
        readonly post: operations["onApprovalRequested"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "approval.decided": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A call of a tool waits for a person no more
         * @description Sent to the webhooks with the event `approval.decided`, `approval.*` or `*`, with the approval as it was then.
         */
        readonly post: operations["onApprovalDecided"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "audit.checkpoint": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Where the chain of the audit log ends: every 1,000 entries, and once a day
         * @description Sent to the webhooks with the event `audit.checkpoint`, `audit.*` or `*`, with the audit as it was then.
         */
        readonly post: operations["onAuditCheckpoint"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "budget.warning": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Of a budget, 80 % are spent
         * @description Sent to the webhooks with the event `budget.warning`, `budget.*` or `*`, with the budget as it was then.
         */
        readonly post: operations["onBudgetWarning"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "budget.exhausted": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A budget is spent
         * @description Sent to the webhooks with the event `budget.exhausted`, `budget.*` or `*`, with the budget as it was then.
         */
        readonly post: operations["onBudgetExhausted"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export interface components {
    schemas: {
        readonly Agent: {
            /** Format: uuid */
            readonly id: string;
            readonly name: string;
            readonly description: string;
            readonly workflow_type: components["schemas"]["WorkflowType"];
            /** @description Whether it has a system of record now, to which its documents are posted. */
            readonly posts: boolean;
            /**
             * Format: uri
             * @description The address of the agent’s tools for the Model Context Protocol.
             */
            readonly mcp_url: string;
        };
        readonly AgentDefinition: {
            readonly workflow_type: components["schemas"]["WorkflowType"];
            readonly model: string;
            readonly instructions: string;
            readonly document_schema: {
                readonly [key: string]: unknown;
            } | null;
            readonly system_of_record: {
                /** @description The name of the connection; null if it is no longer there. */
                readonly connection: string | null;
                readonly entity: string;
                readonly columns: {
                    readonly [key: string]: string;
                };
                readonly document_id_column: string;
                /** @description What people are shown where a constraint refuses a document. */
                readonly constraint_messages?: {
                    readonly [key: string]: string;
                };
            } | null;
            /**
             * @description Whether the workers deliver its documents by themselves (`automatic`), or people and programs do.
             * @enum {string}
             */
            readonly process: "manual" | "automatic";
            /** @description The address, the headers and the body of a tool are `[secret]`; connections, databases and agents that you do not see are `[hidden]`, and so are hosts but for administrators. */
            readonly tools: readonly unknown[];
            /** @description Which documents wait for a decision; and who may approve them, where these are not people and programs. */
            readonly review: ("never" | "when_flagged" | "always") | {
                /** @enum {string} */
                readonly when: "never" | "when_flagged" | "always";
                /** @enum {string} */
                readonly by: "anyone" | "client" | "person" | "other_person";
            };
            readonly checks: readonly {
                readonly name: string;
                readonly rule: string;
                readonly when: string | null;
                readonly message: string | null;
            }[];
            readonly duplicate_key: readonly string[];
            /** @description Where a document must have values; null: where its system of record, its key and its checks look for them. */
            readonly required_values: readonly string[] | null;
            /** @description Which fields have which terms of an e-invoice; null: those of the usual names. `off`: e-invoices are read as text. */
            readonly einvoice: ("off" | {
                readonly map: {
                    readonly [key: string]: string;
                };
            }) | null;
            /** @description JSON Pointers: what lists of its documents show, and can be ordered by. */
            readonly list_columns: readonly string[];
            /** @description Of an agent that divides files: how. */
            readonly split?: {
                /** @enum {string} */
                readonly by: "content" | "page" | "blank_page" | "none";
                readonly separators: readonly string[];
            };
            /** @description Of an agent that divides files: what it divides them into. */
            readonly parts?: readonly {
                readonly name: string;
                /** @description The agent that reads such parts, by name; `[hidden]` if you do not see it. */
                readonly agent?: string;
                /** @description Nobody reads such parts. */
                readonly ignore?: boolean;
                readonly description: string;
            }[];
        };
        readonly AgentTool: {
            /** @description By this name models and programs call it. */
            readonly name: string;
            readonly title: string;
            readonly description: string;
            /** @description The JSON Schema of its arguments. */
            readonly input_schema: {
                readonly [key: string]: unknown;
            };
            /** @description Whether it does no more than read. */
            readonly read_only: boolean;
            /** @description Whether it may change or remove what is there, rather than only add. */
            readonly destructive: boolean;
            /** @description Whether doing it twice is doing it once. */
            readonly idempotent: boolean;
            /** @description Whether it reaches beyond the systems that the workspace names. */
            readonly open_world: boolean;
            /** @description Whether a person has to approve each call; the tool endpoint leaves such a tool out. */
            readonly requires_approval: boolean;
        };
        readonly AgentVersion: {
            readonly version: number;
            /** @description Whether new runs and conversations have it, and the tool endpoint. */
            readonly live: boolean;
            /** Format: date-time */
            readonly created_at: string;
            /** @description The user who published it; null for a version that comes from a workspace file. */
            readonly created_by: components["schemas"]["Author"] | null;
            /** @description JSON Pointers into the definition, of what the version before has otherwise; if they are many, of whole fields. */
            readonly changes: readonly string[];
        };
        readonly AgentVersionDetail: {
            readonly version: number;
            /** @description Whether new runs and conversations have it, and the tool endpoint. */
            readonly live: boolean;
            /** Format: date-time */
            readonly created_at: string;
            /** @description The user who published it; null for a version that comes from a workspace file. */
            readonly created_by: components["schemas"]["Author"] | null;
            /** @description JSON Pointers into the definition, of what the version before has otherwise; if they are many, of whole fields. */
            readonly changes: readonly string[];
            /** @description As in the workspace file, without secrets. */
            readonly definition: components["schemas"]["AgentDefinition"];
        };
        readonly ApiError: {
            /**
             * Format: uri-reference
             * @description Where the guide says what the `code` means.
             */
            readonly type: string;
            /** @description The `code` in words. */
            readonly title: string;
            /** @description What went wrong, for people. */
            readonly detail: string;
            /** @description The HTTP status. */
            readonly status: number;
            /**
             * @description What went wrong, for programs: a stable identifier.
             * @example invalid_request
             * @example idempotency_key_reused
             * @example unknown_table
             * @example connection_read_only
             * @example upload_quota_exceeded
             * @example query_timeout
             * @example invalid_workspace_file
             * @example invalid_key
             * @example invalid_content_type
             * @example content_type_mismatch
             * @example size_mismatch
             * @example incomplete_upload
             * @example unauthenticated
             * @example forbidden
             * @example missing_scope
             * @example viewer
             * @example admin_only
             * @example person_required
             * @example own_work
             * @example invalid_signature
             * @example url_expired
             * @example not_found
             * @example method_not_allowed
             * @example request_timeout
             * @example conflict
             * @example approval_decided
             * @example held
             * @example run_completed
             * @example run_failed
             * @example conversation_busy
             * @example document_busy
             * @example document_processed
             * @example document_without_data
             * @example no_system_of_record
             * @example page_unreadable
             * @example part_processed
             * @example uploaded_already
             * @example file_changed
             * @example review_required
             * @example review_rejected
             * @example too_many_keys
             * @example own_account
             * @example last_admin
             * @example email_taken
             * @example cursor_expired
             * @example arguments_changed
             * @example revision_changed
             * @example payload_too_large
             * @example file_too_large
             * @example unsupported_media_type
             * @example precondition_required
             * @example rate_limited
             * @example budget_exhausted
             * @example upstream_unavailable
             * @example outcome_unknown
             * @example storage_full
             * @example internal
             * @example busy
             * @example stopping
             */
            readonly code: string;
            /** @description The `X-Request-Id` of the answer. */
            readonly request_id: string;
            /** @description Every error of an invalid request. */
            readonly errors?: readonly {
                readonly path: string;
                readonly message: string;
            }[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly ApiIndex: {
            readonly name: string;
            readonly description?: string;
            readonly version: string;
            /** Format: uri */
            readonly base_url: string;
            /** Format: uri */
            readonly documentation_url: string;
            /** Format: uri */
            readonly developers_url: string;
            /** Format: uri */
            readonly openapi_url: string;
            /** Format: uri */
            readonly llms_txt_url?: string;
            readonly authentication: {
                readonly methods: readonly {
                    /** @enum {string} */
                    readonly type: "api_key" | "oauth2";
                    /** Format: uri */
                    readonly documentation_url: string;
                    readonly headers?: readonly string[];
                    readonly self_serve?: boolean;
                    /** @enum {string} */
                    readonly credential_creation?: "available_after_account_access";
                    /** @enum {string} */
                    readonly account_access?: "invite_required";
                    readonly flow?: string;
                    /** Format: uri */
                    readonly metadata_url?: string;
                    readonly scopes_supported?: readonly string[];
                }[];
            };
            readonly onboarding: {
                /** @enum {string} */
                readonly account_access: "invite_required";
                /** Format: uri */
                readonly access_request_url: string;
                readonly trial: {
                    readonly available: boolean;
                    readonly duration_days: number;
                    readonly invite_required: boolean;
                };
                readonly public_sandbox_available: boolean;
            };
            readonly rate_limits: {
                readonly requests: number;
                readonly window_seconds: number;
                readonly response_headers: readonly string[];
                readonly scope?: string;
                /** Format: uri */
                readonly documentation_url?: string;
            };
            readonly versioning: {
                /** @enum {string} */
                readonly strategy: "url_path";
                readonly current_version: string;
                readonly deprecation_headers?: readonly string[];
                readonly minimum_sunset_notice_days?: number;
                /** Format: uri */
                readonly documentation_url?: string;
            };
            readonly resources: {
                readonly [key: string]: string;
            };
            readonly clients?: {
                /** Format: uri */
                readonly cli?: string;
                /** Format: uri */
                readonly cli_documentation_url?: string;
            };
            /** Format: uri */
            readonly webhooks_documentation_url?: string;
        };
        readonly Approval: {
            /** Format: uuid */
            readonly id: string;
            /** @description `cancelled`: the run is over, or a message of a user came before the decision. */
            readonly status: components["schemas"]["ApprovalStatus"];
            /** Format: uuid */
            readonly agent_id: string;
            readonly agent_name: string;
            /**
             * Format: uuid
             * @description Null of a call that no run makes.
             */
            readonly run_id: string | null;
            /**
             * Format: uuid
             * @description Null of a call that a program makes at the tool endpoint.
             */
            readonly conversation_id: string | null;
            /** @description The name by which the model calls it. */
            readonly tool: string;
            /** @description What it would be called with. */
            readonly arguments: {
                readonly [key: string]: unknown;
            };
            /** @description SHA-256, in hexadecimal, over the canonical form (RFC 8785) of `{"agent_id", "agent_version", "tool", "arguments"}`, in which a number that a double does not hold stands as plain decimal digits. */
            readonly arguments_digest: string;
            /** @description Of writes of records, what the same write would come to, as the rehearsal of a record answers it; else null. */
            readonly rehearsal: {
                readonly [key: string]: unknown;
            } | null;
            /** Format: date-time */
            readonly requested_at: string;
            /**
             * Format: date-time
             * @description From then on the call is refused.
             */
            readonly expires_at: string;
            /** @description Who started the run, whose message the call answers, or whose program makes it. */
            readonly requested_by: components["schemas"]["Decider"];
            /** Format: date-time */
            readonly decided_at: string | null;
            /** @description Null where no person decided. */
            readonly decided_by: components["schemas"]["Decider"] | null;
            readonly note: string | null;
        };
        /** @enum {string} */
        readonly ApprovalStatus: "pending" | "approved" | "denied" | "expired" | "cancelled";
        readonly AuditCheckpoint: {
            readonly sequence: number;
            readonly hash: string;
        };
        readonly AuditEntry: {
            /** @description From 1, without a gap. */
            readonly sequence: number;
            /** Format: date-time */
            readonly at: string;
            readonly actor: {
                /** @description `user`, `operator` (a command on the server) or `system` (Portico itself). */
                readonly type: string;
                /**
                 * Format: uuid
                 * @description Of the user.
                 */
                readonly id: string | null;
                readonly name: string | null;
            };
            readonly via: {
                /** @description `console`, `api_key`, `oauth`, `mcp`, `command` or `system`. */
                readonly kind: string;
                /** @description Of the credential: a key, or the grant of a program. */
                readonly id: string | null;
                /** @description Where the request came from. */
                readonly address: string | null;
            };
            readonly action: string;
            readonly subject: {
                readonly type: string;
                /** Format: uuid */
                readonly id: string;
                /** @description Of a run, a document or a conversation: the name of its agent. */
                readonly name: string | null;
            };
            /** @description Names and pointers, never values. */
            readonly details: {
                readonly [key: string]: unknown;
            };
            /** @description The `hash` of the entry before; 64 zeros in the first. */
            readonly previous: string;
            /** @description SHA-256, in hexadecimal, of the entry without its `hash`, in the form of RFC 8785. */
            readonly hash: string;
        };
        readonly Author: {
            /** Format: uuid */
            readonly id: string;
            readonly name: string;
        };
        readonly BatchedDocument: {
            /** Format: uuid */
            readonly id: string;
            /** Format: uuid */
            readonly run_id: string;
            /** Format: uuid */
            readonly agent_id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            /** Format: uuid */
            readonly conversation_id: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /** @description How much of its files the document was extracted from, in several windows if they do not fit the model. Pages are those of formats that have pages. A file that the model was given as bytes has no characters to count. `complete`: nothing was left out, neither by a limit nor because it could not be read. null before the document is ready. */
            readonly coverage: components["schemas"]["Coverage"] | null;
            /** @description The e-invoice (UBL or CII) that the document was read from, itself or attached to a PDF; null if there is none. */
            readonly einvoice: components["schemas"]["EInvoice"] | null;
            readonly error: string | null;
            /** @description The row in the system of record, in the form of that system. */
            readonly external_reference: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** Format: date-time */
            readonly processed_at: string | null;
            /** @description Documents of the same agent with the same key, or from the same file. */
            readonly duplicates: readonly {
                /** Format: uuid */
                readonly document_id: string;
                /** @enum {string} */
                readonly reason: "key" | "file";
            }[];
            /** @description Why nothing of the document is deleted, by anybody; null where it may be. */
            readonly hold: components["schemas"]["Hold"] | null;
            /** @description How often the data changed: 1 when the document becomes ready, 0 while it has none. */
            readonly revision: number;
            readonly review: components["schemas"]["Review"];
            /** @description What the rules of the agent came to. A check that is `not_applicable` has a message if it is about the document, but a value that it needs is missing. */
            readonly checks: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly status: "passed" | "failed" | "not_applicable";
                readonly message: string | null;
            }[];
            readonly posting: components["schemas"]["Posting"];
        };
        readonly Budget: {
            readonly name: string;
            /** @description The agent that it is for; null: all agents together. */
            readonly agent: {
                /** Format: uuid */
                readonly id: string;
                readonly name: string;
            } | null;
            /**
             * Format: date
             * @description The first day of the period, in UTC.
             */
            readonly period_start: string;
            /** @description What may be spent in a period, as the workspace file has it. */
            readonly limit: string;
            /** @description What was spent in the period: what `GET /usage` counts, and what was reserved for steps whose worker died. */
            readonly spent: string;
            /** @enum {string} */
            readonly period: "day" | "month";
            /**
             * Format: date
             * @description The first day of the next period, in UTC.
             */
            readonly period_end: string;
            /** @description What the steps under way may cost at most. */
            readonly reserved: string;
            /** @description What is neither spent nor reserved. */
            readonly left: string;
            /**
             * @description What becomes of work once it is spent.
             * @enum {string}
             */
            readonly action: "warn" | "stop";
        };
        readonly BudgetMark: {
            /** @description The name of the budget. */
            readonly budget: string;
            /** @description The agent that it is for; null: all agents together. */
            readonly agent: {
                /** Format: uuid */
                readonly id: string;
                readonly name: string;
            } | null;
            /**
             * Format: date
             * @description The first day of the period, in UTC.
             */
            readonly period_start: string;
            /** @description What may be spent in a period, as the workspace file has it. */
            readonly limit: string;
            /** @description What was spent in the period: what `GET /usage` counts, and what was reserved for steps whose worker died. */
            readonly spent: string;
            /** @description null where the workspace file has no `prices`. */
            readonly currency: string | null;
        };
        readonly Column: {
            readonly name: string;
            /** @description The type’s name in the database. */
            readonly data_type: string;
        };
        readonly ColumnDetail: {
            readonly name: string;
            /** @description The type’s name in the database. */
            readonly data_type: string;
            readonly nullable: boolean;
            readonly primary_key: boolean;
            readonly position: number;
            /** @description The default’s expression. */
            readonly default: string | null;
        };
        readonly Connection: {
            /** Format: uuid */
            readonly id: string;
            /**
             * @description `mysql`: MySQL, MariaDB, with reads and writes. `postgresql`: PostgreSQL, with reads and writes. `sqlserver`: SQL Server, with reads and writes.
             * @enum {string}
             */
            readonly type: "mysql" | "postgresql" | "sqlserver";
            readonly name: string;
        };
        readonly ConnectionRecord: {
            readonly [key: string]: unknown;
        };
        /** @enum {string} */
        readonly ConversationStatus: "idle" | "responding";
        readonly Coverage: {
            readonly pages_read: number;
            readonly pages_total: number;
            readonly characters_read: number;
            readonly characters_total: number;
            readonly complete: boolean;
            /** @description Everything that is known not to have been read: at most 100, and one more entry that counts the rest. Empty if the coverage is complete. */
            readonly unread: readonly {
                /** @description With the files around it, as in `mail.eml › a.pdf`; null where it stands for several. */
                readonly file_name: string | null;
                /** @description null where the file has no pages, or all of it was not read. */
                readonly page: number | null;
                readonly what: string;
            }[];
        };
        readonly Database: {
            readonly id: string;
            readonly name: string;
            /** @enum {string} */
            readonly type: "mysql" | "postgresql" | "sqlserver";
        };
        readonly Decider: {
            /** Format: uuid */
            readonly id: string;
            readonly name: string;
            readonly email: string;
        };
        readonly Delivery: {
            /**
             * Format: uuid
             * @description The `webhook-id` of the request: the same for every attempt.
             */
            readonly id: string;
            /** Format: uuid */
            readonly webhook_id: string;
            /** @description The origin of the webhook, and the first part of its path if that is a plain word: the rest may be a secret. */
            readonly address: string;
            /** @enum {string} */
            readonly event: "run.queued" | "run.running" | "run.completed" | "run.failed" | "run.cancelled" | "document.ready" | "document.processed" | "document.error" | "document.trashed" | "document.review_required" | "document.approved" | "document.rejected" | "document.changed" | "document.restored" | "approval.requested" | "approval.decided" | "audit.checkpoint" | "budget.warning" | "budget.exhausted";
            /**
             * Format: uuid
             * @description Null of an approval that no run waits for.
             */
            readonly run_id: string | null;
            /** Format: uuid */
            readonly document_id: string | null;
            /**
             * @description `disabled`: it was not sent, because its webhook is disabled.
             * @enum {string}
             */
            readonly status: "pending" | "delivered" | "failed" | "disabled";
            /** @description How often it was sent; counts anew when it is sent again. */
            readonly attempts: number;
            /** @description null before the first one. */
            readonly last_attempt: components["schemas"]["DeliveryAttempt"] | null;
            /**
             * Format: date-time
             * @description When the event happened.
             */
            readonly occurred_at: string;
            /**
             * Format: date-time
             * @description When it is sent next; null once it has ended.
             */
            readonly due_at: string | null;
            /**
             * Format: date-time
             * @description When it was delivered, given up, or ended because its webhook is disabled.
             */
            readonly ended_at: string | null;
        };
        readonly DeliveryAttempt: {
            /** @description The HTTP status of the answer; null if there was none. */
            readonly status: number | null;
            /** @description Why the event was not taken; null if it was. */
            readonly error: string | null;
            /** @description The beginning of what the receiver answered, without the parts of its address that are not shown. */
            readonly response: string | null;
        };
        readonly DocumentDetail: {
            /** Format: uuid */
            readonly id: string;
            /** Format: uuid */
            readonly run_id: string;
            /** Format: uuid */
            readonly agent_id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            /** Format: uuid */
            readonly conversation_id: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /** @description Valid against the agent’s schema once the status is `ready`; null before that. */
            readonly document_data: {
                readonly [key: string]: unknown;
            } | null;
            /** @description How much of its files the document was extracted from, in several windows if they do not fit the model. Pages are those of formats that have pages. A file that the model was given as bytes has no characters to count. `complete`: nothing was left out, neither by a limit nor because it could not be read. null before the document is ready. */
            readonly coverage: components["schemas"]["Coverage"] | null;
            /** @description The e-invoice (UBL or CII) that the document was read from, itself or attached to a PDF; null if there is none. */
            readonly einvoice: components["schemas"]["EInvoice"] | null;
            /** @description JSON Pointer of a value → the verbatim quote that has it. */
            readonly evidence: {
                readonly [key: string]: components["schemas"]["Evidence"];
            };
            readonly error: string | null;
            /** @description The row in the system of record, in the form of that system. */
            readonly external_reference: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** Format: date-time */
            readonly processed_at: string | null;
            /** @description Documents of the same agent with the same key, or from the same file. */
            readonly duplicates: readonly {
                /** Format: uuid */
                readonly document_id: string;
                /** @enum {string} */
                readonly reason: "key" | "file";
            }[];
            /** @description Why nothing of the document is deleted, by anybody; null where it may be. */
            readonly hold: components["schemas"]["Hold"] | null;
            /** @description How often the data changed: 1 when the document becomes ready, 0 while it has none. */
            readonly revision: number;
            readonly review: components["schemas"]["Review"];
            /** @description What the rules of the agent came to. A check that is `not_applicable` has a message if it is about the document, but a value that it needs is missing. */
            readonly checks: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly status: "passed" | "failed" | "not_applicable";
                readonly message: string | null;
            }[];
            readonly posting: components["schemas"]["Posting"];
        };
        readonly DocumentEvent: {
            /** Format: uuid */
            readonly id: string;
            /** Format: uuid */
            readonly run_id: string;
            /** Format: uuid */
            readonly agent_id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            /** Format: uuid */
            readonly conversation_id: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /** @description How much of its files the document was extracted from, in several windows if they do not fit the model. Pages are those of formats that have pages. A file that the model was given as bytes has no characters to count. `complete`: nothing was left out, neither by a limit nor because it could not be read. null before the document is ready. */
            readonly coverage: components["schemas"]["Coverage"] | null;
            /** @description The e-invoice (UBL or CII) that the document was read from, itself or attached to a PDF; null if there is none. */
            readonly einvoice: components["schemas"]["EInvoice"] | null;
            /** @description JSON Pointer of a value → the verbatim quote that has it. */
            readonly evidence: {
                readonly [key: string]: components["schemas"]["Evidence"];
            };
            readonly error: string | null;
            /** @description The row in the system of record, in the form of that system. */
            readonly external_reference: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** Format: date-time */
            readonly processed_at: string | null;
            /** @description How often the data changed: 1 when the document becomes ready, 0 while it has none. */
            readonly revision: number;
            readonly review: components["schemas"]["Review"];
            /** @description What the rules of the agent came to. A check that is `not_applicable` has a message if it is about the document, but a value that it needs is missing. */
            readonly checks: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly status: "passed" | "failed" | "not_applicable";
                readonly message: string | null;
            }[];
            readonly posting: components["schemas"]["Posting"];
        };
        readonly DocumentFile: {
            /** @description Its place among the files of the document; attachments follow all files. */
            readonly index: number;
            readonly file_name: string;
            readonly content_type: string;
            /** @description null, like the address, if the file is no longer in the store. */
            readonly size_bytes: number | null;
            /** @description Of the bytes that the document was read from, in hexadecimal; null before the file is read. */
            readonly sha256: string | null;
            /** @description Of a PDF document, a picture, or what a converter made pages of; empty for other formats, and for files that cannot be opened. */
            readonly pages: readonly components["schemas"]["FilePage"][];
            /**
             * Format: uri
             * @description Takes a `GET` without a credential until `expires_at`.
             */
            readonly download_url: string | null;
            /** Format: date-time */
            readonly expires_at: string | null;
        };
        readonly DocumentPart: {
            /** @description What it is, by the `parts` of the agent that divided; null if the run has other parts by now. */
            readonly name: string | null;
            /** @description As the `parts` of the run have it. */
            readonly file_name: string;
            /** @description From 1; empty if the file has no pages. */
            readonly pages: readonly number[];
        };
        /** @enum {string} */
        readonly DocumentStatus: "extracting" | "ready" | "processing" | "processed" | "error" | "trashed";
        readonly EInvoice: {
            /** @enum {string} */
            readonly syntax: "ubl" | "cii";
            /** @enum {string} */
            readonly profile: "minimum" | "basic_wl" | "basic" | "en16931" | "extended" | "xrechnung" | "peppol" | "other";
            /** @description The identifier of the specification that it follows (BT-24), verbatim. */
            readonly specification: string;
            /** @description Whether no violation is an error; null of ZUGFeRD 1, which is older than the rules. */
            readonly valid: boolean | null;
            /** @description The rules of its profile that it breaks, each at most 20 times. */
            readonly violations: readonly {
                /** @description Its own id, such as `BR-CO-15`. */
                readonly rule: string;
                /** @enum {string} */
                readonly severity: "error" | "warning";
                readonly message: string;
                /** @description An XPath into the e-invoice. */
                readonly location: string;
            }[];
            /** @description What the page of a PDF shows otherwise than the e-invoice inside of it, of number, date, currency, totals and account. */
            readonly differences: readonly {
                /** @description Of the field that is mapped to the term; else the term, such as `BT-112`. */
                readonly pointer: string;
                /** @description Verbatim. */
                readonly xml: string;
                /** @description Verbatim; null if the page shows nothing of the kind. */
                readonly page_value: string | null;
                readonly page: number | null;
                readonly boxes: readonly components["schemas"]["PageBox"][];
            }[];
        };
        readonly Entity: {
            /** @description `schema.table`: the `entity_id` of its records. */
            readonly identifier: string;
            /** @description The name in title case. */
            readonly label: string;
        };
        readonly Erasure: {
            /** Format: uuid */
            readonly id: string;
            /**
             * Format: uuid
             * @description The document that was asked for; null if it was none.
             */
            readonly document_id: string | null;
            /**
             * Format: uuid
             * @description The run that was asked for; null if it was none.
             */
            readonly run_id: string | null;
            /**
             * Format: uuid
             * @description The conversation that was asked for; null if it was none.
             */
            readonly thread_id: string | null;
            readonly reason: string;
            /**
             * Format: uuid
             * @description The user; null if it is not known.
             */
            readonly requested_by: string | null;
            /** Format: date-time */
            readonly requested_at: string;
            /**
             * Format: date-time
             * @description null while it goes on.
             */
            readonly completed_at: string | null;
            readonly stores: readonly components["schemas"]["StoreReceipt"][];
        };
        readonly Evidence: {
            /** @description Verbatim from the file; empty if a person entered the value. */
            readonly quote: string;
            /** @description Empty if a person entered the value and named no file. */
            readonly file_name: string;
            readonly page: number | null;
            /** @description Where the quote stands, one box for each line, as fractions of the page as it is shown, from its top left; empty if the file has no pages. */
            readonly boxes: readonly components["schemas"]["PageBox"][];
            /** @description Whether the words at the boxes differ a little from the quote, though in no digit. */
            readonly approximate: boolean;
            /**
             * @description `exact`: the value stands in the quote as it is. `normalized`: it does once numbers, dates, currencies, units or case are normalised. `computed`: it is a sum or product of quoted values. `none`: the quote does not have it. `person`: a person entered it.
             * @enum {string}
             */
            readonly support: "exact" | "normalized" | "computed" | "none" | "person";
            /**
             * @description Whether the file itself has the words, OCR read them, or an element of an e-invoice has them. Of a value that a person entered: `ocr` if they named a page from which OCR read other values, else `text`.
             * @enum {string}
             */
            readonly source: "text" | "ocr" | "xml";
            /** @description Of OCR, that of the word of the value it is least sure of; else null. */
            readonly confidence: number | null;
            /** @description Of the element or attribute of an e-invoice that has the value; else null. */
            readonly xpath: string | null;
        };
        readonly Exchange: {
            /** Format: uuid */
            readonly conversation_id: string;
            /** @description The messages of the assistant and its tools in this turn, in stored order. */
            readonly messages: readonly components["schemas"]["Message"][];
            /** @description Why the turn ended without an answer; the conversation can continue. */
            readonly error: string | null;
        };
        readonly ExportedDocument: {
            /** Format: uuid */
            readonly id: string;
            /** Format: uuid */
            readonly run_id: string;
            /** Format: uuid */
            readonly agent_id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            /** Format: uuid */
            readonly conversation_id: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /** @description How much of its files the document was extracted from, in several windows if they do not fit the model. Pages are those of formats that have pages. A file that the model was given as bytes has no characters to count. `complete`: nothing was left out, neither by a limit nor because it could not be read. null before the document is ready. */
            readonly coverage: components["schemas"]["Coverage"] | null;
            /** @description The e-invoice (UBL or CII) that the document was read from, itself or attached to a PDF; null if there is none. */
            readonly einvoice: components["schemas"]["EInvoice"] | null;
            readonly error: string | null;
            /** @description The row in the system of record, in the form of that system. */
            readonly external_reference: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** Format: date-time */
            readonly processed_at: string | null;
            /** @description Documents of the same agent with the same key, or from the same file. */
            readonly duplicates: readonly {
                /** Format: uuid */
                readonly document_id: string;
                /** @enum {string} */
                readonly reason: "key" | "file";
            }[];
            readonly document_data: {
                readonly [key: string]: unknown;
            } | null;
            /** @description Why nothing of the document is deleted, by anybody; null where it may be. */
            readonly hold: components["schemas"]["Hold"] | null;
            /** @description How often the data changed: 1 when the document becomes ready, 0 while it has none. */
            readonly revision: number;
            readonly review: components["schemas"]["Review"];
            /** @description What the rules of the agent came to. A check that is `not_applicable` has a message if it is about the document, but a value that it needs is missing. */
            readonly checks: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly status: "passed" | "failed" | "not_applicable";
                readonly message: string | null;
            }[];
            readonly posting: components["schemas"]["Posting"];
        };
        readonly ExportedRow: {
            /** Format: uuid */
            readonly id: string;
            /** Format: uuid */
            readonly run_id: string;
            /** Format: uuid */
            readonly agent_id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            /** Format: uuid */
            readonly conversation_id: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /** @description How much of its files the document was extracted from, in several windows if they do not fit the model. Pages are those of formats that have pages. A file that the model was given as bytes has no characters to count. `complete`: nothing was left out, neither by a limit nor because it could not be read. null before the document is ready. */
            readonly coverage: components["schemas"]["Coverage"] | null;
            /** @description The e-invoice (UBL or CII) that the document was read from, itself or attached to a PDF; null if there is none. */
            readonly einvoice: components["schemas"]["EInvoice"] | null;
            readonly error: string | null;
            /** @description The row in the system of record, in the form of that system. */
            readonly external_reference: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** Format: date-time */
            readonly processed_at: string | null;
            /** @description Documents of the same agent with the same key, or from the same file. */
            readonly duplicates: readonly {
                /** Format: uuid */
                readonly document_id: string;
                /** @enum {string} */
                readonly reason: "key" | "file";
            }[];
            /** @description Its place in the list, from 0. */
            readonly row: number;
            /** @description The row, as it stands in the list. */
            readonly data: unknown;
            /** @description Why nothing of the document is deleted, by anybody; null where it may be. */
            readonly hold: components["schemas"]["Hold"] | null;
            /** @description How often the data changed: 1 when the document becomes ready, 0 while it has none. */
            readonly revision: number;
            readonly review: components["schemas"]["Review"];
            /** @description What the rules of the agent came to. A check that is `not_applicable` has a message if it is about the document, but a value that it needs is missing. */
            readonly checks: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly status: "passed" | "failed" | "not_applicable";
                readonly message: string | null;
            }[];
            readonly posting: components["schemas"]["Posting"];
        };
        readonly FilePage: {
            readonly page: number;
            /** @description In points (1/72 inch), as the page is shown. */
            readonly width: number;
            readonly height: number;
            /**
             * @description `text`: the file itself has the words of the page. `ocr`: the page is a picture, and OCR reads its words.
             * @enum {string}
             */
            readonly source: "text" | "ocr";
        };
        readonly Grant: {
            /** Format: uuid */
            readonly id: string;
            /** @description Where the program is, or the user was sent back to. */
            readonly client_host: string;
            /** @description What the program calls itself, which is not verified. */
            readonly client_name: string | null;
            /**
             * Format: uuid
             * @description The agent whose tools it may use; null if it may use the API.
             */
            readonly agent_id: string | null;
            readonly agent_name: string | null;
            readonly scopes: readonly string[];
            /** Format: date-time */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description When its access was last renewed.
             */
            readonly used_at: string | null;
            /** Format: date-time */
            readonly expires_at: string;
        };
        readonly Hold: {
            readonly reason: string;
            readonly by: {
                readonly name: string;
                readonly email: string;
            };
            /** Format: date-time */
            readonly at: string;
        };
        readonly Identity: {
            readonly user: {
                /** Format: uuid */
                readonly id: string;
                readonly email: string;
                readonly name: string;
                /** @enum {string} */
                readonly role: "admin" | "member" | "viewer";
            };
            readonly workspace: {
                /** Format: uuid */
                readonly id: string;
                readonly name: string;
            };
            readonly credential: {
                /** Format: uuid */
                readonly id: string;
                /** @enum {string} */
                readonly kind: "api_key" | "access_token";
            };
            /** @description null: everything that the user may do. */
            readonly scopes: readonly string[] | null;
            readonly limits: {
                readonly window_seconds: number;
                /** @description Of one credential in a window. */
                readonly requests: number;
                /** @description Of one agent in a window. */
                readonly runs: number;
                /** @description Of one user in a window. */
                readonly table_reads: number;
            };
        };
        readonly IssuedKey: {
            /** Format: uuid */
            readonly id: string;
            readonly name: string;
            /** @description How the key begins. */
            readonly prefix: string;
            /** @description null: everything that the user may do. */
            readonly scopes: readonly ("agents:read" | "runs:read" | "runs:write" | "documents:review")[] | null;
            /**
             * Format: uuid
             * @description The key that it was made with, and ends with; null if you were signed in, or the operator made it.
             */
            readonly made_with: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description To the minute.
             */
            readonly last_used_at: string | null;
            /**
             * Format: date-time
             * @description null: it does not.
             */
            readonly expires_at: string | null;
            /** @description The key itself. It is shown this once and not stored: null where an `Idempotency-Key` repeats the request. */
            readonly key: string | null;
        };
        readonly Key: {
            /** Format: uuid */
            readonly id: string;
            readonly name: string;
            /** @description How the key begins. */
            readonly prefix: string;
            /** @description null: everything that the user may do. */
            readonly scopes: readonly ("agents:read" | "runs:read" | "runs:write" | "documents:review")[] | null;
            /**
             * Format: uuid
             * @description The key that it was made with, and ends with; null if you were signed in, or the operator made it.
             */
            readonly made_with: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description To the minute.
             */
            readonly last_used_at: string | null;
            /**
             * Format: date-time
             * @description null: it does not.
             */
            readonly expires_at: string | null;
        };
        readonly LeftOutTool: {
            /** @description The entry of the workspace file, and the tool of its server. */
            readonly tool: string;
            /** @description What is wrong with it. */
            readonly reason: string;
        };
        readonly ListedDocument: {
            /** Format: uuid */
            readonly id: string;
            /** Format: uuid */
            readonly run_id: string;
            /** Format: uuid */
            readonly agent_id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            /** Format: uuid */
            readonly conversation_id: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /** @description How much of its files the document was extracted from, in several windows if they do not fit the model. Pages are those of formats that have pages. A file that the model was given as bytes has no characters to count. `complete`: nothing was left out, neither by a limit nor because it could not be read. null before the document is ready. */
            readonly coverage: components["schemas"]["Coverage"] | null;
            /** @description The e-invoice (UBL or CII) that the document was read from, itself or attached to a PDF; null if there is none. */
            readonly einvoice: components["schemas"]["EInvoice"] | null;
            readonly error: string | null;
            /** @description The row in the system of record, in the form of that system. */
            readonly external_reference: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /** Format: date-time */
            readonly processed_at: string | null;
            /** @description Documents of the same agent with the same key, or from the same file. */
            readonly duplicates: readonly {
                /** Format: uuid */
                readonly document_id: string;
                /** @enum {string} */
                readonly reason: "key" | "file";
            }[];
            /** @description By JSON Pointer, what the agent has in its `list_columns`; null where a document has nothing. A text of more than 500 characters is cut there. */
            readonly values: {
                readonly [key: string]: (string | number | boolean) | null;
            };
            /** @description Why nothing of the document is deleted, by anybody; null where it may be. */
            readonly hold: components["schemas"]["Hold"] | null;
            /** @description How often the data changed: 1 when the document becomes ready, 0 while it has none. */
            readonly revision: number;
            readonly review: components["schemas"]["Review"];
            /** @description What the rules of the agent came to. A check that is `not_applicable` has a message if it is about the document, but a value that it needs is missing. */
            readonly checks: readonly {
                readonly name: string;
                /** @enum {string} */
                readonly status: "passed" | "failed" | "not_applicable";
                readonly message: string | null;
            }[];
            readonly posting: components["schemas"]["Posting"];
        };
        readonly LogEvent: {
            /**
             * Format: uuid
             * @description The same in webhooks, as `event_id`.
             */
            readonly id: string;
            /** @description The number of the event in the log; numbers only grow. */
            readonly sequence: number;
            /** @enum {string} */
            readonly type: "run.queued" | "run.running" | "run.completed" | "run.failed" | "run.cancelled" | "document.ready" | "document.processed" | "document.error" | "document.trashed" | "document.review_required" | "document.approved" | "document.rejected" | "document.changed" | "document.restored" | "approval.requested" | "approval.decided" | "audit.checkpoint" | "budget.warning" | "budget.exhausted" | "unit.started" | "unit.file_read" | "unit.model_called" | "unit.tool_called" | "unit.retried" | "unit.completed" | "unit.failed";
            /** Format: date-time */
            readonly created_at: string;
            /**
             * Format: uuid
             * @description Null of an approval that no run waits for, of a checkpoint and of a budget.
             */
            readonly run_id: string | null;
            /** Format: uuid */
            readonly document_id: string | null;
            /** @description The run, the document without its data, or the approval, as it was then; of a checkpoint, where the audit log ended; of a budget, what was spent; of a step, what is known of it, never contents. */
            readonly data: components["schemas"]["Run"] | components["schemas"]["DocumentEvent"] | components["schemas"]["Approval"] | components["schemas"]["AuditCheckpoint"] | components["schemas"]["BudgetMark"] | components["schemas"]["Step"];
        };
        /** @description A JSON-RPC 2.0 message of the Model Context Protocol; a request has an `id`, a notification has none. */
        readonly McpMessage: {
            /** @constant */
            readonly jsonrpc: "2.0";
            /** @description The client chooses it; the reply has the same. */
            readonly id?: string | number;
            readonly method?: string;
            readonly params?: Record<string, never>;
        };
        /** @description A reply of JSON-RPC 2.0: either a `result` or an `error`. */
        readonly McpReply: {
            /** @constant */
            readonly jsonrpc: "2.0";
            /** @description The client chooses it; the reply has the same. */
            readonly id: string | number | null;
            readonly result?: Record<string, never>;
            readonly error?: {
                readonly code: number;
                readonly message: string;
                readonly data?: unknown;
            };
        } & (unknown | unknown);
        readonly Message: {
            /** Format: uuid */
            readonly id: string;
            /** @enum {string} */
            readonly role: "user" | "assistant" | "tool";
            /** @description Empty if an assistant only calls tools. A call that waits for its approval says so; its message takes the result in the end. A failed tool call begins with `Error: `. Content of a connection or database that the reader does not see is `[withheld: …]`. */
            readonly content: string;
            readonly tool_calls: readonly components["schemas"]["ToolCall"][];
            /** @description The user who wrote it or in whose name the turn ran; null for none, and for old messages. */
            readonly author: components["schemas"]["Author"] | null;
            /** @description The call that the message of a tool answers. */
            readonly tool_call_id: string | null;
            /** Format: date-time */
            readonly created_at: string;
        };
        readonly MessageDelta: {
            /**
             * Format: uuid
             * @description The message that the assistant is writing.
             */
            readonly id: string;
            /** @description By what it has grown. */
            readonly text: string;
        };
        readonly NewFile: {
            readonly file_name: string;
            readonly content_type: string;
            /** @description The exact size, which the URL is made for. Without it, the URL takes any size, and counts in the quota of the workspace as the largest file. */
            readonly size_bytes?: number;
        };
        readonly PageBox: {
            readonly page: number;
            readonly x: number;
            readonly y: number;
            readonly width: number;
            readonly height: number;
        };
        readonly PageWord: {
            readonly text: string;
            readonly x: number;
            readonly y: number;
            readonly width: number;
            readonly height: number;
            /** @description Of OCR; null if the file itself has the word. */
            readonly confidence: number | null;
        };
        readonly Person: {
            /** Format: uuid */
            readonly id: string;
            readonly email: string;
            readonly name: string;
            /** @enum {string} */
            readonly role: "admin" | "member" | "viewer";
            /** Format: date-time */
            readonly created_at: string;
            /** @description Nothing of a user who is disabled works. */
            readonly disabled: boolean;
            /**
             * @description How they sign in; `none`: they have no way to yet.
             * @enum {string}
             */
            readonly sign_in: "password" | "oidc" | "none";
            /**
             * Format: date-time
             * @description When one of their credentials was used last, to the minute; null: never.
             */
            readonly last_seen_at: string | null;
            /**
             * @description `active`: they have chosen a password, or signed in at the organisation; `invited`: there is a link by which they can. Keys work in every status.
             * @enum {string}
             */
            readonly status: "active" | "invited" | "not_invited";
        };
        readonly Posting: {
            /** @description Whether the workers deliver it as soon as they may, because the version of its agent says `process: automatic`. */
            readonly automatic: boolean;
            /** @description Who began its last delivery: the workers, because the agent says so (`policy`), or a person or a program (`client`); null before the first. */
            readonly by: ("client" | "policy") | null;
            /**
             * Format: date-time
             * @description When the workers try next. null: it is posted, waits for a decision, or the workers leave it to a person.
             */
            readonly next_attempt_at: string | null;
            /** @description How often the workers found its system of record out of reach. */
            readonly failed_attempts: number;
            /**
             * Format: date-time
             * @description When that happened first: for a day the workers try again.
             */
            readonly failing_since: string | null;
            /** @description Why the last attempt of the workers came to nothing. */
            readonly last_error: string | null;
        };
        readonly RecordedAttempt: {
            /** @description Counts on when the delivery is sent again. A number is missing where the server stopped before it knew what came of the attempt. */
            readonly number: number;
            /** Format: date-time */
            readonly started_at: string;
            /** @description How long it took until the answer was there or the attempt failed. */
            readonly duration_ms: number;
            /** @description The HTTP status of the answer; null if there was none. */
            readonly status: number | null;
            /** @description Why the event was not taken; null if it was. */
            readonly error: string | null;
            /** @description The beginning of what the receiver answered, without the parts of its address that are not shown. */
            readonly response: string | null;
        };
        readonly Rehearsal: {
            /**
             * @description `insert`: the row would be written. `already_there`: the row of this document is there, and would stay as it is. `reject`: the system refuses it.
             * @enum {string}
             */
            readonly would: "insert" | "already_there" | "reject";
            /** @description Column → value, as the document gives them. */
            readonly row: {
                readonly [key: string]: unknown;
            };
            /** @description The words of the system; null unless it rejects the row. */
            readonly reason: string | null;
        };
        readonly RehearsedWrite: {
            /** @description As the write itself would answer. */
            readonly rows_affected: number;
            /** @description What it would be refused with; null if it would be done. */
            readonly rejected: string | null;
        };
        readonly Review: {
            /**
             * @description A document whose review is `pending` or `rejected` is not processed.
             * @enum {string}
             */
            readonly status: "not_required" | "pending" | "approved" | "rejected";
            /** @description Why a person should look at the document; none if its agent asks for no reviews. */
            readonly reasons: readonly {
                /** @enum {string} */
                readonly code: "missing_value" | "implausible_value" | "unsupported_value" | "low_confidence" | "check_failed" | "check_not_applicable" | "duplicate" | "incomplete_coverage" | "unread_content" | "hidden_text" | "encoding_uncertain" | "unassigned_pages" | "contradiction" | "einvoice_invalid" | "einvoice_differs" | "einvoice_incomplete" | "always";
                /** @description The value that it is about; null if it is about the document as a whole. */
                readonly pointer: string | null;
                readonly message: string;
            }[];
            /** @description Who decided; null while it is not decided. */
            readonly reviewer: {
                readonly name: string;
                readonly email: string;
            } | null;
            readonly note: string | null;
            /** Format: date-time */
            readonly decided_at: string | null;
            /** @description By which door the decision came; null while it is not decided. `console`: in the console; `api_key`: with an API key; `oauth`: by a program with access; `command`: on the command line; `mcp`: over a tool endpoint; `model`: by a model. */
            readonly decided_via: ("console" | "api_key" | "oauth" | "command" | "mcp" | "model") | null;
        };
        readonly Revision: {
            readonly revision: number;
            /** Format: date-time */
            readonly created_at: string;
            readonly by: {
                /** @enum {string} */
                readonly type: "agent" | "user";
                readonly name: string;
                /** @description By which door; null of what the agent extracted. `console`: in the console; `api_key`: with an API key; `oauth`: by a program with access; `command`: on the command line; `mcp`: over a tool endpoint; `model`: by a model. */
                readonly via: ("console" | "api_key" | "oauth" | "command" | "mcp" | "model") | null;
            };
            /** @description What the data has otherwise than before, at the innermost places; null where there is nothing. None for the first revision. */
            readonly changes: readonly {
                readonly pointer: string;
                readonly from: unknown;
                readonly to: unknown;
            }[];
        };
        readonly RowsAffected: {
            readonly rows_affected: number;
        };
        readonly Run: {
            /** Format: uuid */
            readonly id: string;
            readonly workflow_type: components["schemas"]["WorkflowType"];
            /** Format: uuid */
            readonly agent_id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            readonly agent_name: string;
            readonly status: components["schemas"]["RunStatus"];
            /** @description The W3C trace id of the run’s spans. */
            readonly trace_id: string;
            /** @description What failed and why, for people. */
            readonly error: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly started_at: string | null;
            /** Format: date-time */
            readonly completed_at: string | null;
            readonly process_together: boolean;
            /** @description Set while calls of tools wait for the approval of a person; the run goes on by itself once they are decided. */
            readonly waiting_for: {
                readonly approval_ids: readonly string[];
            } | null;
            /** @description How many times a worker has started the run. */
            readonly attempt: number;
            /** @description Why the run ended as it did: `worker_lost`, `interrupted` (what the run needs could not be reached each time it was tried), `internal` (something went wrong on our side each time), `deadline_exceeded`, `model_error`, `unit_failed`, `cancelled_by_user`, … */
            readonly status_reason: components["schemas"]["StatusReason"] | null;
            /** @description Where the run came from by itself; null if someone asked for it. */
            readonly source: components["schemas"]["RunSource"] | null;
            readonly usage: components["schemas"]["Usage"];
            /** @description What the run has cost by the `prices` of the workspace, with every digit; null as long as nothing of it had a price. */
            readonly cost: string | null;
        };
        readonly RunConversation: {
            /** Format: uuid */
            readonly id: string;
            readonly status: components["schemas"]["ConversationStatus"];
            readonly file_names: readonly string[];
            /** Format: date-time */
            readonly created_at: string;
        };
        readonly RunDetail: {
            /** Format: uuid */
            readonly id: string;
            readonly workflow_type: components["schemas"]["WorkflowType"];
            /** Format: uuid */
            readonly agent_id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            readonly agent_name: string;
            readonly status: components["schemas"]["RunStatus"];
            /** @description The W3C trace id of the run’s spans. */
            readonly trace_id: string;
            /** @description What failed and why, for people. */
            readonly error: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly started_at: string | null;
            /** Format: date-time */
            readonly completed_at: string | null;
            readonly process_together: boolean;
            /** @description Set while calls of tools wait for the approval of a person; the run goes on by itself once they are decided. */
            readonly waiting_for: {
                readonly approval_ids: readonly string[];
            } | null;
            /** @description How many times a worker has started the run. */
            readonly attempt: number;
            /** @description Why the run ended as it did: `worker_lost`, `interrupted` (what the run needs could not be reached each time it was tried), `internal` (something went wrong on our side each time), `deadline_exceeded`, `model_error`, `unit_failed`, `cancelled_by_user`, … */
            readonly status_reason: components["schemas"]["StatusReason"] | null;
            /** @description Where the run came from by itself; null if someone asked for it. */
            readonly source: components["schemas"]["RunSource"] | null;
            readonly usage: components["schemas"]["Usage"];
            /** @description What the run has cost by the `prices` of the workspace, with every digit; null as long as nothing of it had a price. */
            readonly cost: string | null;
            readonly user_message: string | null;
            readonly files: readonly components["schemas"]["RunFile"][];
            /** @description One for each unit of work. */
            readonly items: readonly components["schemas"]["RunItem"][];
            readonly conversations: readonly components["schemas"]["RunConversation"][];
            /** @description Those in the trash are left out. */
            readonly documents: readonly components["schemas"]["RunDocument"][];
            /** @description What the files were divided into, if the agent divides files: every page is in exactly one part or in `unassigned`. */
            readonly parts: readonly components["schemas"]["RunPart"][];
            /** @description Pages that are in no part. Unless they are blank, or separator sheets, they are a reason for review of the run’s documents. */
            readonly unassigned: readonly components["schemas"]["UnassignedPages"][];
        };
        readonly RunDocument: {
            /** Format: uuid */
            readonly id: string;
            /** @description The version of the agent that the run has from its creation to its end. */
            readonly agent_version: number;
            /** @description The language model of that version, as the workspace file names it. */
            readonly model: string;
            readonly name: string;
            readonly status: components["schemas"]["DocumentStatus"];
            /** Format: uuid */
            readonly conversation_id: string;
            readonly error: string | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly RunFile: {
            readonly file_key: string;
            readonly file_name: string;
            readonly content_type: string;
        };
        readonly RunFilePages: {
            /** @description Which file it is, in the addresses of its pages. The numbers need not follow each other. */
            readonly index: number;
            /** @description As the `parts` of the run have it. */
            readonly file_name: string;
            readonly content_type: string;
            /** @description Empty if the file has no pages, cannot be opened, or is no longer in the store. */
            readonly pages: readonly components["schemas"]["FilePage"][];
            /** @description Pages with nothing on them, separator sheets among them. Empty before the file is divided. */
            readonly blank: readonly number[];
        };
        readonly RunItem: {
            readonly index: number;
            readonly file_names: readonly string[];
            /** @description The pages that it reads, of a run that divides its files; null if it reads its files as a whole. */
            readonly part: {
                /** @description The way to the file, such as `mail.eml › file.pdf` for one that is attached. */
                readonly file_name: string;
                /** @description From 1; empty if the file has no pages. */
                readonly pages: readonly number[];
            } | null;
            readonly status: components["schemas"]["RunStatus"];
            readonly error: string | null;
            /** Format: uuid */
            readonly conversation_id: string | null;
            readonly document_ids: readonly string[];
        };
        readonly RunPart: {
            readonly index: number;
            /** @description What it is, by the `parts` of the agent. */
            readonly name: string;
            /** @description The way to the file, such as `mail.eml › file.pdf` for one that is attached. */
            readonly file_name: string;
            /** @description From 1; empty if the file has no pages. */
            readonly pages: readonly number[];
            /** @description Where it stands that it is this: the words are verbatim from the page. Empty for a part that a person made. */
            readonly evidence: readonly {
                readonly page: number | null;
                readonly quote: string;
                readonly boxes: readonly components["schemas"]["PageBox"][];
            }[];
            /** @description How sure the model was, from 0 to 1; null for a part that a person made. */
            readonly confidence: number | null;
            /**
             * Format: uuid
             * @description What was read of it; null while it is not begun, for a part that is ignored, for a document in the trash, and for one of an agent that you do not see.
             */
            readonly document_id: string | null;
            /**
             * @description `ready`: it was read, whatever became of its document later.
             * @enum {string}
             */
            readonly status: "reading" | "ready" | "error" | "ignored";
        };
        readonly RunSource: {
            /** @description The source, as `GET /sources` names it. */
            readonly name: string;
            /** @description The key of the mail, file or object, as the intake of the source lists it. */
            readonly key: string;
            /** @description The sender of a mail. */
            readonly from: string | null;
            /** @description The subject of a mail. */
            readonly subject: string | null;
        };
        /** @enum {string} */
        readonly RunStatus: "queued" | "running" | "completed" | "failed" | "cancelled";
        readonly SearchSource: {
            readonly title: string;
            /** Format: uri */
            readonly url: string;
        };
        readonly SnapshotDownload: {
            /** Format: uri */
            readonly download_url: string | null;
            readonly size_bytes: number | null;
            /** Format: date-time */
            readonly created_at: string | null;
            /** Format: date-time */
            readonly expires_at: string | null;
        };
        readonly SnapshotUpload: {
            /** Format: uuid */
            readonly id: string;
            /** Format: uuid */
            readonly conversation_id: string;
            readonly size_bytes: number;
            /**
             * Format: uri
             * @description Takes a `PUT` of exactly `size_bytes` bytes.
             */
            readonly upload_url: string;
            /** @description Send exactly these headers with it. */
            readonly headers: {
                readonly [key: string]: string;
            };
            /** Format: date-time */
            readonly expires_at: string;
        };
        readonly Source: {
            readonly name: string;
            /**
             * @description A mailbox, a folder of the server, or a bucket.
             * @enum {string}
             */
            readonly type: "imap" | "folder" | "bucket";
            /** @description The name of the agent that reads what comes. */
            readonly agent: string;
            /**
             * @description How the last look ended: `new` before the first, `well`, `failing` (see `error`), or `waiting`: so many of its runs have not ended (`SOURCE_MAX_RUNS`) that what else has come stays where it lies until half of them have. `paused`: nobody looks at it, as the workspace file says.
             * @enum {string}
             */
            readonly state: "new" | "well" | "waiting" | "failing" | "paused";
            /**
             * Format: date-time
             * @description When the last look at it ended; null before the first.
             */
            readonly last_checked_at: string | null;
            /** @description Why the last look failed, or what could not be taken in it; null if it did not fail. It is tried again by itself. */
            readonly error: string | null;
        };
        readonly SourceItem: {
            /** @description What it is in its source: mailbox, UIDVALIDITY and UID of a mail; path and digest of a file; key and version of an object. */
            readonly key: string;
            /** @description The name of the file that its run has. */
            readonly name: string;
            /**
             * Format: date-time
             * @description When it was found.
             */
            readonly received_at: string;
            readonly size_bytes: number | null;
            /** @description SHA-256 of its bytes, in hexadecimal; null if it was not read. */
            readonly digest: string | null;
            /**
             * Format: uuid
             * @description Its run; of what was taken before, the first one. Null if it has none, or if that was removed.
             */
            readonly run_id: string | null;
            /** @description Why it became no run: it stays where it is. Null if it did. */
            readonly why_not: string | null;
        };
        readonly StatusReason: {
            readonly code: string;
            readonly message: string;
        };
        readonly Step: {
            /** @description The `index` of the unit of work among the `items` of the run. */
            readonly unit: number;
            /** @description The file that was read, the model or the tool that was called; of `unit.retried`, the code of what is tried again after: `interrupted` is the unit as a whole. */
            readonly name: string | null;
            /** @description How long it took; before another attempt, how long it waits. */
            readonly duration_ms: number | null;
            readonly usage: components["schemas"]["Usage"] | null;
            /** @description The code of what went wrong; null if nothing did. */
            readonly error: string | null;
        };
        readonly StoreReceipt: {
            /**
             * @description `database`: its rows, other conversations that had read it, and stored answers. `files`: with images and texts of pages, and versions of the bucket. `events`: the log. `webhooks`: deliveries. `system_of_record` and `audit` are kept.
             * @enum {string}
             */
            readonly store: "database" | "files" | "events" | "webhooks" | "system_of_record" | "audit";
            readonly removed: number;
            readonly kept: number;
            /** @description Why something is kept; null where nothing is. */
            readonly why: string | null;
        };
        readonly Table: {
            /** @description `<database id>.<schema>.<table>`; within each part a byte outside `A-Za-z0-9_-` is written `~XX`. */
            readonly id: string;
            readonly name: string;
            readonly schema: string;
            /** @enum {string} */
            readonly type: "table" | "view";
        };
        readonly TableDetail: {
            /** @description `<database id>.<schema>.<table>`; within each part a byte outside `A-Za-z0-9_-` is written `~XX`. */
            readonly id: string;
            readonly name: string;
            readonly schema: string;
            /** @enum {string} */
            readonly type: "table" | "view";
            readonly columns: readonly components["schemas"]["ColumnDetail"][];
        };
        readonly Thread: {
            /** Format: uuid */
            readonly id: string;
            /** Format: uuid */
            readonly agent_id: string;
            readonly status: components["schemas"]["ConversationStatus"];
            /** @description Set while calls of tools wait for the approval of a person; the turn goes on by itself once they are decided, unless a message comes first. */
            readonly waiting_for: {
                readonly approval_ids: readonly string[];
            } | null;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            readonly messages: readonly components["schemas"]["Message"][];
        };
        readonly ToolCall: {
            readonly id: string;
            readonly name: string;
            /** @description As the model wrote them: an object if they match the tool’s schema. */
            readonly arguments: unknown;
        };
        readonly TrashedDocument: {
            /** Format: uuid */
            readonly id: string;
            /** @enum {string} */
            readonly status: "trashed";
        };
        readonly TurnEnd: {
            /** Format: uuid */
            readonly conversation_id: string;
            /** @description Why the turn ended without an answer; the conversation can continue. */
            readonly error: string | null;
        };
        readonly UnassignedPages: {
            /** @description The way to the file, such as `mail.eml › file.pdf` for one that is attached. */
            readonly file_name: string;
            /** @description From 1; empty if the file has no pages. */
            readonly pages: readonly number[];
        };
        readonly UploadUrl: {
            readonly file_key: string;
            readonly file_name: string;
            readonly content_type: string;
            /** Format: uri */
            readonly upload_url: string;
            /** @enum {string} */
            readonly method: "PUT";
            /** @description Send exactly these headers with the file. */
            readonly headers: {
                readonly [key: string]: string;
            };
            /** Format: date-time */
            readonly expires_at: string;
        };
        readonly UploadedFile: {
            readonly file_key: string;
            readonly file_name: string;
            readonly content_type: string;
        };
        readonly Usage: {
            readonly input_tokens: number;
            readonly output_tokens: number;
        };
        readonly UsageFigures: {
            /** @description Runs that were begun. */
            readonly runs: number;
            /** @description Documents that were read. */
            readonly documents: number;
            /** @description Pages that these have and that were read; texts without pages have none. */
            readonly pages: number;
            /** @description Of these, what OCR has read. */
            readonly pages_ocr: number;
            readonly input_tokens: number;
            readonly output_tokens: number;
            /** @description By the prices of the time, with every digit; null where nothing had a price. */
            readonly cost: string | null;
        };
        readonly UsageRow: {
            /** Format: date */
            readonly day?: string;
            readonly agent?: {
                /** Format: uuid */
                readonly id: string;
                readonly name: string;
            };
            readonly agent_version?: number;
            readonly model?: string;
            readonly user?: {
                /** Format: uuid */
                readonly id: string;
                readonly name: string;
            };
            /** @description Runs that were begun. */
            readonly runs: number;
            /** @description Documents that were read. */
            readonly documents: number;
            /** @description Pages that these have and that were read; texts without pages have none. */
            readonly pages: number;
            /** @description Of these, what OCR has read. */
            readonly pages_ocr: number;
            readonly input_tokens: number;
            readonly output_tokens: number;
            /** @description By the prices of the time, with every digit; null where nothing had a price. */
            readonly cost: string | null;
        };
        readonly WebAnswer: {
            /** @description A summary of the pages. `[1]` cites the first source, `[2]` the second, and so on. */
            readonly summary: string;
            /** @description The pages that the summary cites, in that order; none if no page was found or readable. */
            readonly sources: readonly components["schemas"]["SearchSource"][];
        };
        readonly Webhook: {
            /** Format: uuid */
            readonly id: string;
            /** @description The origin of the webhook, and the first part of its path if that is a plain word: the rest may be a secret. */
            readonly address: string;
            /** @description What it is sent. */
            readonly events: readonly ("*" | "run.*" | "run.queued" | "run.running" | "run.completed" | "run.failed" | "run.cancelled" | "document.*" | "document.ready" | "document.processed" | "document.error" | "document.trashed" | "document.review_required" | "document.approved" | "document.rejected" | "document.changed" | "document.restored" | "approval.*" | "approval.requested" | "approval.decided" | "audit.*" | "audit.checkpoint" | "budget.*" | "budget.warning" | "budget.exhausted")[];
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly updated_at: string;
            /**
             * Format: date-time
             * @description When it was disabled; null while it is sent what happens.
             */
            readonly disabled_at: string | null;
            /** @description Why it was disabled; null while it is sent what happens. */
            readonly disabled_reason: string | null;
        };
        /** @enum {string} */
        readonly WorkflowType: "document_extraction" | "document_routing" | "assistant";
    };
    responses: {
        /** @description The state of the resource conflicts with the operation. `approval_decided`: The call is decided, or no person decided in time: `detail` says which. */
        readonly ApprovalDecided: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The resource is not as the client read it. `arguments_changed`: The call has other arguments than those that are decided on: read the approval again. */
        readonly ArgumentsChanged: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Rate limit exceeded. `budget_exhausted`: The budget of the agent, or of the workspace, is spent: `Retry-After` says when its next period begins. An administrator can raise it. `rate_limited`: A rate limit is spent, your share of the sessions of a connected system is in use, or too many pages wait to be drawn: wait for the seconds in `Retry-After`. */
        readonly BudgetExhaustedOrRateLimited: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "x-ratelimit-limit": components["headers"]["x-ratelimit-limit"];
                readonly "x-ratelimit-remaining": components["headers"]["x-ratelimit-remaining"];
                readonly "x-ratelimit-reset": components["headers"]["x-ratelimit-reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `conflict`: The state of the resource does not allow the operation now. */
        readonly Conflict: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `conflict`: The state of the resource does not allow the operation now. `document_busy`: The document is being extracted or processed: try again when that is done. Or it is not known whether it was written: process it again first. `document_processed`: The document is in its system of record already. `held`: A document is held: nothing of it, of its run and of its conversation is deleted until an administrator lifts the hold. `file_changed`: The bytes of the file in the store are others than those that the document was read from: nothing of the file is shown. */
        readonly ConflictOrDocumentBusyOrDocumentProcessedOrHeldOrFileChanged: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `conflict`: The state of the resource does not allow the operation now. `part_processed`: A document of a part that would change is written to its system of record, or may be: the part stays as it is. */
        readonly ConflictOrPartProcessed: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `conflict`: The state of the resource does not allow the operation now. `run_completed`: The run has completed: it cannot be cancelled any more. `run_failed`: The run has failed: it cannot be cancelled any more. */
        readonly ConflictOrRunCompletedOrRunFailed: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `conversation_busy`: The conversation, which `conversation_id` names, is responding: send the message again after the seconds in `Retry-After`. */
        readonly ConversationBusy: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description undefined. `cursor_expired`: The log of events no longer has everything after this cursor: begin without one. */
        readonly CursorExpired: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `document_busy`: The document is being extracted or processed: try again when that is done. Or it is not known whether it was written: process it again first. `document_processed`: The document is in its system of record already. */
        readonly DocumentBusyOrDocumentProcessed: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `document_busy`: The document is being extracted or processed: try again when that is done. Or it is not known whether it was written: process it again first. `document_processed`: The document is in its system of record already. `document_without_data`: The document has no data to process. `conflict`: The state of the resource does not allow the operation now. */
        readonly DocumentBusyOrDocumentProcessedOrDocumentWithoutDataOrConflict: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `document_busy`: The document is being extracted or processed: try again when that is done. Or it is not known whether it was written: process it again first. `document_processed`: The document is in its system of record already. `document_without_data`: The document has no data to process. `no_system_of_record`: The agent of the document has no system of record. `review_required`: The document waits for a decision on its review before it may be processed. `review_rejected`: The document was rejected: correct it, or delete it. */
        readonly DocumentBusyOrDocumentProcessedOrDocumentWithoutDataOrNoSystemOfRecordOrReviewRequiredOrReviewRejected: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `document_without_data`: The document has no data to process. `no_system_of_record`: The agent of the document has no system of record. */
        readonly DocumentWithoutDataOrNoSystemOfRecord: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `email_taken`: The address belongs to a user of this server already, in this workspace or another one. */
        readonly EmailTaken: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `file_changed`: The bytes of the file in the store are others than those that the document was read from: nothing of the file is shown. */
        readonly FileChanged: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `held`: A document is held: nothing of it, of its run and of its conversation is deleted until an administrator lifts the hold. */
        readonly Held: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `held`: A document is held: nothing of it, of its run and of its conversation is deleted until an administrator lifts the hold. `conflict`: The state of the resource does not allow the operation now. */
        readonly HeldOrConflict: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Unexpected failure. `internal`: Something failed on the server. Try again; `request_id` finds it in the server’s log. */
        readonly Internal: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Invalid parameters or body. `invalid_request`: A parameter, a header or the body is not as described; `errors` lists every error. */
        readonly InvalidRequest: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Invalid parameters or body. `invalid_request`: A parameter, a header or the body is not as described; `errors` lists every error. `idempotency_key_reused`: The `Idempotency-Key` was used with another request before. */
        readonly InvalidRequestOrIdempotencyKeyReused: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Invalid parameters or body. `invalid_request`: A parameter, a header or the body is not as described; `errors` lists every error. `idempotency_key_reused`: The `Idempotency-Key` was used with another request before. `connection_read_only`: The type of the connection accepts no writes. */
        readonly InvalidRequestOrIdempotencyKeyReusedOrConnectionReadOnly: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Invalid parameters or body. `invalid_request`: A parameter, a header or the body is not as described; `errors` lists every error. `idempotency_key_reused`: The `Idempotency-Key` was used with another request before. `unknown_table`: The entity is not in the connected system, or not for its login to read. `connection_read_only`: The type of the connection accepts no writes. */
        readonly InvalidRequestOrIdempotencyKeyReusedOrUnknownTableOrConnectionReadOnly: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Invalid parameters or body. `invalid_request`: A parameter, a header or the body is not as described; `errors` lists every error. `idempotency_key_reused`: The `Idempotency-Key` was used with another request before. `upload_quota_exceeded`: You have your share of what the workspace may still store, or of its upload URLs. `detail` says what is used, and what to do. */
        readonly InvalidRequestOrIdempotencyKeyReusedOrUploadQuotaExceeded: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Invalid parameters or body. `invalid_request`: A parameter, a header or the body is not as described; `errors` lists every error. `query_timeout`: The query, the search or the page exceeded its time limit: ask for less, for an earlier page, or by a column that has an index. */
        readonly InvalidRequestOrQueryTimeout: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Invalid parameters or body. `invalid_request`: A parameter, a header or the body is not as described; `errors` lists every error. `unknown_table`: The entity is not in the connected system, or not for its login to read. `query_timeout`: The query, the search or the page exceeded its time limit: ask for less, for an earlier page, or by a column that has an index. */
        readonly InvalidRequestOrUnknownTableOrQueryTimeout: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Not allowed. `missing_scope`: The credential lacks the scope of the operation; `required_scope` names it if there is one. */
        readonly MissingScope: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Not allowed. `missing_scope`: The credential lacks the scope of the operation; `required_scope` names it if there is one. `admin_only`: The user is no administrator, who alone may do this. */
        readonly MissingScopeOrAdminOnly: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Not allowed. `missing_scope`: The credential lacks the scope of the operation; `required_scope` names it if there is one. `viewer`: The user is a viewer, who may read and not write. */
        readonly MissingScopeOrViewer: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Not allowed. `missing_scope`: The credential lacks the scope of the operation; `required_scope` names it if there is one. `viewer`: The user is a viewer, who may read and not write. `admin_only`: The user is no administrator, who alone may do this. */
        readonly MissingScopeOrViewerOrAdminOnly: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Not allowed. `missing_scope`: The credential lacks the scope of the operation; `required_scope` names it if there is one. `viewer`: The user is a viewer, who may read and not write. `person_required`: It needs a person in the console, who has signed in a short while ago: `detail` says where. Rejecting a document does not. `own_work`: It is the user’s own work (they started the run of the document, or changed it since it was approved last, or asked for the call): another person has to decide. */
        readonly MissingScopeOrViewerOrPersonRequiredOrOwnWork: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Not found. `not_found`: There is no such thing, or it is not visible to the caller. */
        readonly NotFound: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Unexpected failure. `outcome_unknown`: A connected system, or the database of the server, did not confirm a write: find out whether it took effect before you repeat it. `internal`: Something failed on the server. Try again; `request_id` finds it in the server’s log. */
        readonly OutcomeUnknownOrInternal: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Unexpected failure. `outcome_unknown`: A connected system, or the database of the server, did not confirm a write: find out whether it took effect before you repeat it. `upstream_unavailable`: A connected system could not be reached. Nothing was written: try again. `internal`: Something failed on the server. Try again; `request_id` finds it in the server’s log. */
        readonly OutcomeUnknownOrUpstreamUnavailableOrInternal: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `own_account`: Users do not change their own role, and do not disable themselves: another administrator does. `last_admin`: The workspace would be left without an administrator who is enabled: make another one first. */
        readonly OwnAccountOrLastAdmin: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `page_unreadable`: The page, or the text of the file, cannot be shown: it is damaged, too large, or takes too long; `detail` says which. `file_changed`: The bytes of the file in the store are others than those that the document was read from: nothing of the file is shown. */
        readonly PageUnreadableOrFileChanged: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Body too large. `payload_too_large`: The body is larger than the server accepts. */
        readonly PayloadTooLarge: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description A precondition is missing. `precondition_required`: The request needs an `If-Match` with the `ETag` of the document, or the run, as you read it. */
        readonly PreconditionRequired: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Rate limit exceeded. `rate_limited`: A rate limit is spent, your share of the sessions of a connected system is in use, or too many pages wait to be drawn: wait for the seconds in `Retry-After`. */
        readonly RateLimited: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "x-ratelimit-limit": components["headers"]["x-ratelimit-limit"];
                readonly "x-ratelimit-remaining": components["headers"]["x-ratelimit-remaining"];
                readonly "x-ratelimit-reset": components["headers"]["x-ratelimit-reset"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The request did not arrive in time. `request_timeout`: The headers or the body of the request did not arrive within 30 seconds: send it again. */
        readonly RequestTimeout: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The resource is not as the client read it. `revision_changed`: The document, or the run, is not as the `ETag` in `If-Match` says any more: read it again. `revision` is the one that a document has now. */
        readonly RevisionChanged: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The server cannot answer at the moment. `stopping`: The server stopped before it could answer: send the request again after the seconds in `Retry-After`. `busy`: The server has too much to do at the moment, or its database does not answer. Nothing was done: send the request again after the seconds in `Retry-After`. */
        readonly StoppingOrBusy: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `too_many_keys`: The user has as many keys that work as a user may have: revoke one that is not needed. */
        readonly TooManyKeys: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description The state of the resource conflicts with the operation. `too_many_keys`: The user has as many keys that work as a user may have: revoke one that is not needed. `conflict`: The state of the resource does not allow the operation now. */
        readonly TooManyKeysOrConflict: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description No valid credential. `unauthenticated`: The credential is missing, mistyped, expired, revoked, or of a kind this operation does not take. */
        readonly Unauthenticated: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Body of another media type. `unsupported_media_type`: The body is not of a media type that the operation takes, not in UTF-8, or compressed. `Accept-Patch` lists the types of a document’s patches. */
        readonly UnsupportedMediaType: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Unexpected failure. `upstream_unavailable`: A connected system could not be reached. Nothing was written: try again. `internal`: Something failed on the server. Try again; `request_id` finds it in the server’s log. */
        readonly UpstreamUnavailableOrInternal: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
        /** @description Unexpected failure. `upstream_unavailable`: A connected system could not be reached. Nothing was written: try again. `outcome_unknown`: A connected system, or the database of the server, did not confirm a write: find out whether it took effect before you repeat it. `internal`: Something failed on the server. Try again; `request_id` finds it in the server’s log. */
        readonly UpstreamUnavailableOrOutcomeUnknownOrInternal: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ApiError"];
                readonly "application/problem+json": components["schemas"]["ApiError"];
            };
        };
    };
    parameters: {
        /**
         * @description The same for every attempt to send the event.
         * @example 01989c0e-65f2-7a1b-8c3d-666666666666
         */
        readonly "webhook-id": string;
        /**
         * @description When it was sent: a Unix timestamp in seconds.
         * @example 1795167000
         */
        readonly "webhook-timestamp": string;
        /**
         * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        readonly "webhook-signature": string;
    };
    requestBodies: never;
    headers: {
        /** @description Finds the request in the server’s log. */
        readonly "X-Request-Id": string;
        /**
         * @description Requests allowed in the window of the tightest limit.
         * @example 100
         */
        readonly "RateLimit-Limit": number;
        /**
         * @description Requests left in it.
         * @example 99
         */
        readonly "RateLimit-Remaining": number;
        /**
         * @description Seconds until it resets.
         * @example 60
         */
        readonly "RateLimit-Reset": number;
        /**
         * @description What every limit that counted the request has left: `r` requests, in a window that resets in `t` seconds (structured fields).
         * @example "credential";r=99;t=60, "agent-runs";r=29;t=60
         */
        readonly RateLimit: string;
        /**
         * @description What these limits allow: `q` requests in a window of `w` seconds.
         * @example "credential";q=100;w=60, "agent-runs";q=30;w=60
         */
        readonly "RateLimit-Policy": string;
        /**
         * @description Seconds to wait.
         * @example 12
         */
        readonly "Retry-After": number;
        /**
         * @description Alias of `RateLimit-Limit`.
         * @example 100
         */
        readonly "x-ratelimit-limit": number;
        /**
         * @description Alias of `RateLimit-Remaining`.
         * @example 0
         */
        readonly "x-ratelimit-remaining": number;
        /**
         * @description When the window resets: a Unix timestamp in seconds.
         * @example 1795170600
         */
        readonly "x-ratelimit-reset": number;
        /** @description How to authenticate (RFC 6750). */
        readonly "WWW-Authenticate": string;
        /** @description Names this representation, for `If-None-Match`. */
        readonly ETag: string;
        /** @description The media types that a `PATCH` takes (RFC 5789). */
        readonly "Accept-Patch": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getIndex: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The index. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiIndex"];
                };
            };
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly whoAmI: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The user, the workspace, the credential and its limits. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Identity"];
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listAgents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The agents. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly agents: readonly components["schemas"]["Agent"][];
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listAgentTools: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tools. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly tools: readonly components["schemas"]["AgentTool"][];
                            readonly left_out: readonly components["schemas"]["LeftOutTool"][];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listAgentVersions: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The most to return.
                 * @example 20
                 */
                readonly limit?: number;
                /**
                 * @description The `next` of the page before.
                 * @example USkAABJn
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of versions; `next` is null on the last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly versions: readonly components["schemas"]["AgentVersion"][];
                            /** @example USkAABJn */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getAgentVersion: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
                /**
                 * @description The number of the version.
                 * @example 3
                 */
                readonly version: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The version. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["AgentVersionDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly publishAgentVersion: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
                /**
                 * @description The number of the version.
                 * @example 3
                 */
                readonly version: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The version that is live now. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["AgentVersionDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrAdminOnly"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly createUploadUrls: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "file_name": "invoice-4711.pdf",
                 *           "content_type": "application/pdf"
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    readonly files: readonly components["schemas"]["NewFile"][];
                };
            };
        };
        readonly responses: {
            /** @description The URLs. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly files: readonly components["schemas"]["UploadUrl"][];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReusedOrUploadQuotaExceeded"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly createRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
                /**
                 * @description A W3C trace context to continue; an invalid one is ignored.
                 * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                 */
                readonly traceparent?: string;
            };
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "file_key": "uploads/01989c0e-65f2-7a1b-8c3d-111111111111/01989c0e-65f2-7a1b-8c3d-222222222222/01989c0e-65f2-7a1b-8c3d-333333333333",
                 *           "file_name": "invoice-4711.pdf",
                 *           "content_type": "application/pdf"
                 *         }
                 *       ],
                 *       "process_together": false,
                 *       "user_message": "Book these under project 12."
                 *     }
                 */
                readonly "application/json": {
                    /**
                     * @description Uploaded files, each of them once; there may be none if there is a message.
                     * @default []
                     */
                    readonly files?: readonly components["schemas"]["UploadedFile"][];
                    /**
                     * @description Whether all files are one unit of work, in one conversation.
                     * @default false
                     */
                    readonly process_together?: boolean;
                    /**
                     * @description A message to the agent.
                     * @default null
                     */
                    readonly user_message?: string | null;
                    /** @description The version of the agent to run. Without it: the live one. */
                    readonly agent_version?: number;
                    /** @description Whether its documents are only looked at: the workers post none of them, and 15 minutes after the run was created, once it has ended, they go to the trash. */
                    readonly trial?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description The run is queued. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description Where to poll the run. */
                    readonly Location: string;
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Run"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 429: components["responses"]["BudgetExhaustedOrRateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listRuns: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only runs of this agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id?: string;
                /**
                 * @description Only runs with this status.
                 * @example completed
                 */
                readonly status?: components["schemas"]["RunStatus"];
                /**
                 * @description The most to return.
                 * @example 20
                 */
                readonly limit?: number;
                /**
                 * @description How many to skip; not together with `after`.
                 * @example 0
                 */
                readonly offset?: number;
                /**
                 * @description The `next` of the page before. However deep a page lies, it costs the same.
                 * @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of runs; `total` counts all that match, `next` is null on the last page. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly runs: readonly components["schemas"]["Run"][];
                            readonly total: number;
                            /** @description That of the request; 0 with `after`. */
                            readonly offset: number;
                            readonly limit: number;
                            /** @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getRun: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Seconds to wait for a change of the status.
                 * @example 25
                 */
                readonly wait?: number;
            };
            readonly header?: {
                /**
                 * @description The `ETag` of the representation you have.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /**
                 * @description The run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["RunDetail"];
                    };
                };
            };
            /** @description You have this representation already. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listRunFiles: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The files. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly files: readonly components["schemas"]["RunFilePages"][];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["FileChanged"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getRunPage: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description How wide the image is, in pixels. It is narrower if the page is a smaller picture, or far higher than wide.
                 * @example 240
                 */
                readonly width?: number;
            };
            readonly header?: {
                /**
                 * @description The `ETag` of the representation you have.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /**
                 * @description The run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly id: string;
                /**
                 * @description The `index` of the file.
                 * @example 0
                 */
                readonly index: number;
                /**
                 * @description The number of the page, from 1.
                 * @example 1
                 */
                readonly page: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The page. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    /** @description `private, max-age=3600` */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/png": string;
                };
            };
            /** @description You have this representation already. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["PageUnreadableOrFileChanged"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly changeParts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the run as you read it. Required: without it the answer is 428.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "if-match"?: string;
            };
            readonly path: {
                /**
                 * @description The run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "parts": [
                 *         {
                 *           "name": "invoice",
                 *           "file_name": "invoice-4711.pdf",
                 *           "pages": [
                 *             1,
                 *             2
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    /** @description All parts that the run has from now on. Pages that are in none of them are unassigned. */
                    readonly parts: readonly {
                        /** @description One of the `parts` of the agent. */
                        readonly name: string;
                        /** @description As the parts of the run have it. */
                        readonly file_name: string;
                        /** @description In any order; empty for a file without pages. */
                        readonly pages: readonly number[];
                    }[];
                };
            };
        };
        readonly responses: {
            /** @description The run, as it is now. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["RunDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["ConflictOrPartProcessed"];
            readonly 412: components["responses"]["RevisionChanged"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 428: components["responses"]["PreconditionRequired"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly cancelRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The cancelled run. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Run"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["ConflictOrRunCompletedOrRunFailed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly dismissRun: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The run. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Run"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly countWork: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description How much of each kind waits. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            /** @description Documents whose review is `pending`. */
                            readonly needs_review: number;
                            /** @description Documents that are `error`, because they could not be read or their system of record refused them, and whose review is neither `pending` nor `rejected`. */
                            readonly failed_documents: number;
                            /** @description Runs that failed and left no document, as `GET /work/failed-runs` lists them. */
                            readonly failed_runs: number;
                            /** @description Documents that can be posted, as `GET /documents?ready_to_post=true` lists them. */
                            readonly ready_to_post: number;
                            /** @description Calls of tools that are `pending`. */
                            readonly approvals: number;
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listFailedRuns: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The most to return.
                 * @example 20
                 */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The newest of them. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly runs: readonly components["schemas"]["Run"][];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getUsage: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The first day. Absent: 30 days up to the last.
                 * @example 2026-11-01
                 */
                readonly from?: string;
                /**
                 * @description The last day, which belongs to it. Absent: today.
                 * @example 2026-11-30
                 */
                readonly to?: string;
                /**
                 * @description What rows are made of: up to three of `day`, `agent`, `agent_version`, `model`, `user`, separated by commas. Absent: one row.
                 * @example day,agent
                 */
                readonly group_by?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The rows and their total. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            /** @description One for each group that has any use, ordered by what it is grouped by. */
                            readonly rows: readonly components["schemas"]["UsageRow"][];
                            /** @description All rows together. */
                            readonly total: components["schemas"]["UsageFigures"];
                            /** @description null where the workspace file has no `prices`. */
                            readonly currency: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listBudgets: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Every budget. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            /** @description By name. */
                            readonly budgets: readonly components["schemas"]["Budget"][];
                            /** @description null where the workspace file has no `prices`. */
                            readonly currency: string | null;
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listEvents: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Where to go on: the `next` of the page before, or the `id` of an event, as webhooks have it too. `now`: only what happens from now on. Absent: everything that is kept.
                 * @example USkAABJn
                 */
                readonly after?: string;
                /**
                 * @description The most to return.
                 * @example 100
                 */
                readonly limit?: number;
                /**
                 * @description Seconds to wait for an event if there is none.
                 * @example 25
                 */
                readonly wait?: number;
                /**
                 * @description Types and patterns, separated by commas. Absent: all types but the steps, `unit.*`.
                 * @example run.*,document.ready
                 */
                readonly types?: string;
                /**
                 * @description Only events of this run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly run_id?: string;
                /**
                 * @description With `newest` the newest event comes first, `next` leads to older ones, and `wait` has no effect: for people who look at the log.
                 * @example oldest
                 */
                readonly order?: "oldest" | "newest";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of events. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly events: readonly components["schemas"]["LogEvent"][];
                            /**
                             * @description Where to go on: pass it as `after`. It is always there, even if there was nothing.
                             * @example USkAABJn
                             */
                            readonly next: string;
                            /** @description Whether there is more to read right now. */
                            readonly has_more: boolean;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 410: components["responses"]["CursorExpired"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listRunEvents: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Where to go on: the `next` of the page before, or the `id` of an event, as webhooks have it too. `now`: only what happens from now on. Absent: everything that is kept.
                 * @example now
                 */
                readonly after?: string;
                /**
                 * @description The most to return.
                 * @example 100
                 */
                readonly limit?: number;
                /**
                 * @description Seconds to wait for an event if there is none.
                 * @example 0
                 */
                readonly wait?: number;
            };
            readonly header?: {
                /**
                 * @description The `id` of the last event that was received; in place of `after`.
                 * @example USkAABJn
                 */
                readonly "Last-Event-ID"?: string;
            };
            readonly path: {
                /**
                 * @description The run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of events, or a stream of them. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly events: readonly components["schemas"]["LogEvent"][];
                            /**
                             * @description Where to go on: pass it as `after`. It is always there, even if there was nothing.
                             * @example USkAABJn
                             */
                            readonly next: string;
                            /** @description Whether there is more to read right now. */
                            readonly has_more: boolean;
                        };
                    };
                    readonly "text/event-stream": string;
                };
            };
            /** @description Of a stream: there is nothing more to come. */
            readonly 204: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 410: components["responses"]["CursorExpired"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listWebhooks: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The webhooks. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly webhooks: readonly components["schemas"]["Webhook"][];
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrAdminOnly"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listDeliveries: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only deliveries with this status.
                 * @example failed
                 */
                readonly status?: "pending" | "delivered" | "failed" | "disabled";
                /**
                 * @description Only deliveries to this webhook.
                 * @example 01989c0e-65f2-7a1b-8c3d-aaaaaaaaaaa2
                 */
                readonly webhook_id?: string;
                /**
                 * @description The most to return.
                 * @example 25
                 */
                readonly limit?: number;
                /**
                 * @description The `next` of the page before.
                 * @example USkAABJn
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of deliveries; `next` is null on the last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly deliveries: readonly components["schemas"]["Delivery"][];
                            /** @example USkAABJn */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrAdminOnly"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listDeliveryAttempts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The delivery.
                 * @example 01989c0e-65f2-7a1b-8c3d-aaaaaaaaaaa1
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Its attempts that ended. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly attempts: readonly components["schemas"]["RecordedAttempt"][];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrAdminOnly"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly redeliver: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The delivery.
                 * @example 01989c0e-65f2-7a1b-8c3d-aaaaaaaaaaa1
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is sent again. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            /** Format: uuid */
                            readonly id: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrAdminOnly"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listSources: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The sources. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly sources: readonly components["schemas"]["Source"][];
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listIntake: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The most to return.
                 * @example 25
                 */
                readonly limit?: number;
                /**
                 * @description The `next` of the page before.
                 * @example USkAABJn
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The source.
                 * @example invoices
                 */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of what came; `next` is null on the last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly items: readonly components["schemas"]["SourceItem"][];
                            /** @example USkAABJn */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly checkSource: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The source.
                 * @example invoices
                 */
                readonly name: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is looked at. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Source"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listDocuments: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only documents of this agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id?: string;
                /**
                 * @description Only documents of this run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly run_id?: string;
                /**
                 * @description Only documents with this status. What is in the trash is listed by `trashed` alone.
                 * @example ready
                 */
                readonly status?: "extracting" | "ready" | "processing" | "processed" | "error" | "trashed";
                /**
                 * @description Only documents whose review has this status.
                 * @example not_required
                 */
                readonly review?: "not_required" | "pending" | "approved" | "rejected";
                /**
                 * @description Whether only documents are listed that can be posted: `ready`, with a review that is `approved` or `not_required`, of agents that have a system of record now, unless the workers are about to post it.
                 * @example true
                 */
                readonly ready_to_post?: boolean;
                /**
                 * @description Words, which are letters and digits; everything else separates them. A document is found if its name and the values of its data have, for each of the words, a word that begins with it, in upper or lower case. Of a document, the first 150,000 characters are searched.
                 * @example Meyer 4711
                 */
                readonly q?: string;
                /**
                 * @description JSON text over the data: `{"/total": {"gt": 1000}}`. The keys are JSON Pointers: `{"/total": value}` equals (`null`: there is none); `{"/total": {"eq"|"ne"|"gt"|"gte"|"lt"|"lte"|"like"|"in"|"is_null": …}}`; `{"and": […]}`, `{"or": […]}`, `{"not": {…}}`. Numbers are compared exactly; a string is compared with strings by code point, and with numbers if it is one. At most 50 conditions in 5 levels, 1,000 values, and patterns of 200 characters.
                 * @example {"/total": {"gt": 1000}}
                 */
                readonly where?: string;
                /**
                 * @description By what the list is ordered: `created_at`, or a JSON Pointer of the `list_columns` of the agent, which needs `agent_id`: numbers exactly, then texts by code point, then false and true, what has no value last; ties by id. By a value, a page reads all documents of the agent.
                 * @example created_at
                 */
                readonly order_by?: string;
                /**
                 * @description Without it: `desc` by `created_at`, else `asc`.
                 * @example asc
                 */
                readonly order_direction?: "asc" | "desc";
                /**
                 * @description The most to return.
                 * @example 20
                 */
                readonly limit?: number;
                /**
                 * @description The `next` of the page before. However deep a page lies, it costs the same. A cursor is of its order.
                 * @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of documents. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly documents: readonly components["schemas"]["ListedDocument"][];
                            /** @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrQueryTimeout"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly exportDocuments: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only documents of this agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id?: string;
                /**
                 * @description Only documents of this run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly run_id?: string;
                /**
                 * @description Only documents with this status. What is in the trash is listed by `trashed` alone.
                 * @example extracting
                 */
                readonly status?: "extracting" | "ready" | "processing" | "processed" | "error" | "trashed";
                /**
                 * @description Only documents whose review has this status.
                 * @example not_required
                 */
                readonly review?: "not_required" | "pending" | "approved" | "rejected";
                /**
                 * @description Whether only documents are listed that can be posted: `ready`, with a review that is `approved` or `not_required`, of agents that have a system of record now, unless the workers are about to post it.
                 * @example true
                 */
                readonly ready_to_post?: boolean;
                /**
                 * @description Words, which are letters and digits; everything else separates them. A document is found if its name and the values of its data have, for each of the words, a word that begins with it, in upper or lower case. Of a document, the first 150,000 characters are searched.
                 * @example Meyer 4711
                 */
                readonly q?: string;
                /**
                 * @description JSON text over the data: `{"/total": {"gt": 1000}}`. The keys are JSON Pointers: `{"/total": value}` equals (`null`: there is none); `{"/total": {"eq"|"ne"|"gt"|"gte"|"lt"|"lte"|"like"|"in"|"is_null": …}}`; `{"and": […]}`, `{"or": […]}`, `{"not": {…}}`. Numbers are compared exactly; a string is compared with strings by code point, and with numbers if it is one. At most 50 conditions in 5 levels, 1,000 values, and patterns of 200 characters.
                 * @example {"/total": {"gt": 1000}}
                 */
                readonly where?: string;
                /**
                 * @description Lines of JSON, or a table.
                 * @example csv
                 */
                readonly format?: "ndjson" | "csv";
                /**
                 * @description A JSON Pointer to a list in the data, such as /lines.
                 * @example /lines
                 */
                readonly rows?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The documents, as they are read. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": string;
                    readonly "text/csv": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrQueryTimeout"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly batchDocuments: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "action": "approve",
                 *       "items": [
                 *         {
                 *           "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *           "revision": 1
                 *         },
                 *         {
                 *           "id": "01989c0e-65f2-7a1b-8c3d-999999999999",
                 *           "revision": 2
                 *         }
                 *       ],
                 *       "note": "Checked against the orders."
                 *     }
                 */
                readonly "application/json": {
                    /** @enum {string} */
                    readonly action: "approve" | "reject" | "process" | "trash";
                    /** @description Each document once. */
                    readonly items: readonly {
                        /** Format: uuid */
                        readonly id: string;
                        readonly revision: number;
                    }[];
                    /**
                     * @description Of an approval or a rejection.
                     * @default null
                     */
                    readonly note?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description What came of each document. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly results: readonly {
                                /** Format: uuid */
                                readonly id: string;
                                /** @description As it is now, without its data and evidence; null where it was refused. */
                                readonly document: components["schemas"]["BatchedDocument"] | null;
                                /** @description Why nothing was done, as the operation for one document says it; null where it was done. */
                                readonly error: {
                                    readonly type: string;
                                    readonly title: string;
                                    readonly detail: string;
                                    readonly status: number;
                                    readonly code: string;
                                    /** @description Of `revision_changed`: the one that the document has now. */
                                    readonly revision?: number;
                                } | null;
                            }[];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the representation you have.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Accept-Patch": components["headers"]["Accept-Patch"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["DocumentDetail"];
                    };
                };
            };
            /** @description You have this representation already. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Accept-Patch": components["headers"]["Accept-Patch"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly processDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The updated document: `processed`, or `error` with the reason. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["DocumentDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["DocumentBusyOrDocumentProcessedOrDocumentWithoutDataOrNoSystemOfRecordOrReviewRequiredOrReviewRejected"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrOutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly deleteDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document is in the trash. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["TrashedDocument"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Held"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly correctDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the document as you read it. Required: without it the answer is 428.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "if-match"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "patch": [
                 *         {
                 *           "op": "replace",
                 *           "path": "/total",
                 *           "value": 1910.5
                 *         }
                 *       ],
                 *       "evidence": {
                 *         "/total": {
                 *           "file_name": "invoice-4711.pdf",
                 *           "page": 2,
                 *           "boxes": [
                 *             {
                 *               "page": 2,
                 *               "x": 0.61,
                 *               "y": 0.72,
                 *               "width": 0.27,
                 *               "height": 0.014
                 *             }
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @description Done one after the other. */
                    readonly patch: readonly {
                        /** @enum {string} */
                        readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
                        readonly path: string;
                        /** @description Of `move` and `copy`. */
                        readonly from?: string;
                        /** @description Of `add`, `replace` and `test`. */
                        readonly value?: unknown;
                    }[];
                    /**
                     * @description JSON Pointer of a value that the patch changes → where it stands.
                     * @default {}
                     */
                    readonly evidence?: {
                        readonly [key: string]: {
                            readonly file_name: string;
                            /** @default null */
                            readonly page?: number | null;
                            /** @default [] */
                            readonly boxes?: readonly components["schemas"]["PageBox"][];
                        };
                    };
                };
                /**
                 * @example [
                 *       {
                 *         "op": "replace",
                 *         "path": "/total",
                 *         "value": 1910.5
                 *       }
                 *     ]
                 */
                readonly "application/json-patch+json": readonly {
                    /** @enum {string} */
                    readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
                    readonly path: string;
                    /** @description Of `move` and `copy`. */
                    readonly from?: string;
                    /** @description Of `add`, `replace` and `test`. */
                    readonly value?: unknown;
                }[];
                /**
                 * @example {
                 *       "total": 1910.5,
                 *       "note": null
                 *     }
                 */
                readonly "application/merge-patch+json": {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly responses: {
            /** @description The document, as it is now. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Accept-Patch": components["headers"]["Accept-Patch"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["DocumentDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["DocumentBusyOrDocumentProcessed"];
            readonly 412: components["responses"]["RevisionChanged"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 428: components["responses"]["PreconditionRequired"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly rehearseDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What would happen, and to which row. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Rehearsal"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["DocumentWithoutDataOrNoSystemOfRecord"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrUpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly restoreDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document, as it was. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["DocumentDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly rereadDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222"
                 *     }
                 */
                readonly "application/json": {
                    /**
                     * Format: uuid
                     * @description By which agent. Without it: by that of the document.
                     */
                    readonly agent_id?: string;
                };
            };
        };
        readonly responses: {
            /** @description The run is queued. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description Where to poll the run. */
                    readonly Location: string;
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Run"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["ConflictOrDocumentBusyOrDocumentProcessedOrHeldOrFileChanged"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["BudgetExhaustedOrRateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly holdDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "The audit of 2026 is under way."
                 *     }
                 */
                readonly "application/json": {
                    /** @description Shown with the document. */
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description The document, which is held. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["DocumentDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrAdminOnly"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly releaseDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document, which is not held. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["DocumentDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrAdminOnly"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listDocumentFiles: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Whether the answer has addresses by which the files can be downloaded, as it has unless this is `false`. Without them, the audit log has no download.
                 * @example true
                 */
                readonly download_urls?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The files. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly files: readonly components["schemas"]["DocumentFile"][];
                            /** @description The part of the run that it was read from; null unless the agent of the run divides files. */
                            readonly part: components["schemas"]["DocumentPart"] | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["FileChanged"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getDocumentPage: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description How wide the image is, in pixels. It is narrower if the page is a smaller picture, or far higher than wide.
                 * @example 1200
                 */
                readonly width?: number;
            };
            readonly header?: {
                /**
                 * @description The `ETag` of the representation you have.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
                /**
                 * @description The `index` of the file.
                 * @example 0
                 */
                readonly index: number;
                /**
                 * @description The number of the page, from 1.
                 * @example 1
                 */
                readonly page: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The page. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    /** @description `private, max-age=3600` */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "image/png": string;
                };
            };
            /** @description You have this representation already. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["PageUnreadableOrFileChanged"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getDocumentPageWords: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the representation you have.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
                /**
                 * @description The `index` of the file.
                 * @example 0
                 */
                readonly index: number;
                /**
                 * @description The number of the page, from 1.
                 * @example 1
                 */
                readonly page: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The words; none on an empty page. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    /** @description `private, max-age=3600` */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly page: number;
                            /**
                             * @description `text`: the file itself has the words of the page. `ocr`: the page is a picture, and OCR reads its words.
                             * @enum {string}
                             */
                            readonly source: "text" | "ocr";
                            readonly words: readonly components["schemas"]["PageWord"][];
                        };
                    };
                };
            };
            /** @description You have this representation already. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["PageUnreadableOrFileChanged"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getDocumentFileText: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Where the part begins: `next` of the part before it.
                 * @example 0
                 */
                readonly from?: number;
            };
            readonly header?: {
                /**
                 * @description The `ETag` of the representation you have.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
                /**
                 * @description The `index` of the file.
                 * @example 1
                 */
                readonly index: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A part of the text. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    /** @description `private, max-age=3600` */
                    readonly "Cache-Control"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly text: string;
                            /** @description Where the next part begins; null at the end of the text. */
                            readonly next: number | null;
                        };
                    };
                };
            };
            /** @description You have this representation already. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["PageUnreadableOrFileChanged"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getDocumentEInvoice: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description The `ETag` of the representation you have.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
                /**
                 * @description The `index` of the file.
                 * @example 0
                 */
                readonly index: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The e-invoice. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    /** @description `private, max-age=3600` */
                    readonly "Cache-Control"?: string;
                    /** @description `attachment` */
                    readonly "Content-Disposition"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/xml": string;
                };
            };
            /** @description You have this representation already. */
            readonly 304: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["FileChanged"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly reviewDocument: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
                /**
                 * @description The `ETag` of the document as you read it. Required: without it the answer is 428.
                 * @example "47DEQpj8HBSa-_TImW-5JCeuQeR"
                 */
                readonly "if-match"?: string;
            };
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "decision": "approve",
                 *       "note": "Checked against the order."
                 *     }
                 */
                readonly "application/json": {
                    /** @enum {string} */
                    readonly decision: "approve" | "reject" | "reopen";
                    /** @default null */
                    readonly note?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description The document, as it is now. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly ETag: components["headers"]["ETag"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["DocumentDetail"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrPersonRequiredOrOwnWork"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["DocumentBusyOrDocumentProcessedOrDocumentWithoutDataOrConflict"];
            readonly 412: components["responses"]["RevisionChanged"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 428: components["responses"]["PreconditionRequired"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listRevisions: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The most to return.
                 * @example 20
                 */
                readonly limit?: number;
                /**
                 * @description The `next` of the page before.
                 * @example USkAABJn
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The document.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of revisions; `next` is null on the last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly revisions: readonly components["schemas"]["Revision"][];
                            /** @example USkAABJn */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listApprovals: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only approvals with this status.
                 * @example pending
                 */
                readonly status?: components["schemas"]["ApprovalStatus"];
                /**
                 * @description Only calls of this agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id?: string;
                /**
                 * @description Only calls of this run.
                 * @example 01989c0e-65f2-7a1b-8c3d-444444444444
                 */
                readonly run_id?: string;
                /**
                 * @description The most to return.
                 * @example 20
                 */
                readonly limit?: number;
                /**
                 * @description The `next` of the page before.
                 * @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of approvals; `next` is null on the last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly approvals: readonly components["schemas"]["Approval"][];
                            /** @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getApproval: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The approval.
                 * @example 01989c0e-65f2-7a1b-8c3d-999999999999
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The approval. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Approval"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly decideApproval: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The approval.
                 * @example 01989c0e-65f2-7a1b-8c3d-999999999999
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "decision": "approve",
                 *       "arguments_digest": "1c0f3a2b5d7e9f8c6b4a39281706f5e4d3c2b1a09f8e7d6c5b4a392817060504",
                 *       "note": null
                 *     }
                 */
                readonly "application/json": {
                    /** @enum {string} */
                    readonly decision: "approve" | "deny";
                    /** @description SHA-256, in hexadecimal, over the canonical form (RFC 8785) of `{"agent_id", "agent_version", "tool", "arguments"}`, in which a number that a double does not hold stands as plain decimal digits. */
                    readonly arguments_digest: string;
                    /** @default null */
                    readonly note?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description The approval, as it is now. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Approval"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrPersonRequiredOrOwnWork"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["ApprovalDecided"];
            readonly 412: components["responses"]["ArgumentsChanged"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listConnections: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description How many to skip.
                 * @example 0
                 */
                readonly offset?: number;
                /**
                 * @description The most to return.
                 * @example 100
                 */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The connections. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Connection"][];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listEntities: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description How many to skip.
                 * @example 0
                 */
                readonly offset?: number;
                /**
                 * @description The most to return.
                 * @example 1000
                 */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The connection.
                 * @example 01989c0e-65f2-7a1b-8c3d-777777777777
                 */
                readonly connection_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The entities. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["Entity"][];
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrQueryTimeout"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listRecords: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The `identifier` of an entity.
                 * @example sales.order_lines
                 */
                readonly entity_id: string;
                /**
                 * @description How many to skip.
                 * @example 0
                 */
                readonly offset?: number;
                /**
                 * @description The most to return.
                 * @example 100
                 */
                readonly limit?: number;
                /**
                 * @description JSON text. `{"col": value}` equals (`null`: is null); `{"col": {"eq"|"ne"|"gt"|"gte"|"lt"|"lte"|"like"|"in"|"is_null": …}}`; `{"and": […]}`, `{"or": […]}`, `{"not": {…}}`. At most 64 levels and 1,000 values.
                 * @example {"quantity": {"gte": 10}}
                 */
                readonly filter?: string;
            };
            readonly header?: {
                /**
                 * @description With `true` the request leaves from a stable IP address. The answer is the same.
                 * @example true
                 */
                readonly "X-Svc-Egress"?: boolean;
            };
            readonly path: {
                /**
                 * @description The connection.
                 * @example 01989c0e-65f2-7a1b-8c3d-777777777777
                 */
                readonly connection_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The records. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": readonly components["schemas"]["ConnectionRecord"][];
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrUnknownTableOrQueryTimeout"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly insertRecord: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
                /**
                 * @description With `true` the request leaves from a stable IP address. The answer is the same.
                 * @example true
                 */
                readonly "X-Svc-Egress"?: boolean;
            };
            readonly path: {
                /**
                 * @description The connection.
                 * @example 01989c0e-65f2-7a1b-8c3d-777777777777
                 */
                readonly connection_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "entity": "sales.order_lines",
                 *       "values": {
                 *         "item": "Soup cup 12 oz",
                 *         "quantity": 3,
                 *         "unit_price": 48.2
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @description The table, as `schema.table`. */
                    readonly entity: string;
                    /** @description Column → value. Numbers keep every digit. */
                    readonly values: {
                        readonly [key: string]: string | number | boolean | null;
                    };
                };
            };
        };
        readonly responses: {
            /** @description The row is inserted. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RowsAffected"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReusedOrUnknownTableOrConnectionReadOnly"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrOutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly updateRecord: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
                /**
                 * @description With `true` the request leaves from a stable IP address. The answer is the same.
                 * @example true
                 */
                readonly "X-Svc-Egress"?: boolean;
            };
            readonly path: {
                /**
                 * @description The connection.
                 * @example 01989c0e-65f2-7a1b-8c3d-777777777777
                 */
                readonly connection_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "entity": "sales.order_lines",
                 *       "key_column": "id",
                 *       "key_value": 17,
                 *       "values": {
                 *         "quantity": 14
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @description The table, as `schema.table`. */
                    readonly entity: string;
                    /** @description The column that identifies the row. */
                    readonly key_column: string;
                    readonly key_value: string | number;
                    /** @description Column → value. Numbers keep every digit. */
                    readonly values: {
                        readonly [key: string]: string | number | boolean | null;
                    };
                };
            };
        };
        readonly responses: {
            /** @description How many rows were updated: one, or none. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RowsAffected"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReusedOrUnknownTableOrConnectionReadOnly"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrOutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly rehearseRecord: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
                /**
                 * @description With `true` the request leaves from a stable IP address. The answer is the same.
                 * @example true
                 */
                readonly "X-Svc-Egress"?: boolean;
            };
            readonly path: {
                /**
                 * @description The connection.
                 * @example 01989c0e-65f2-7a1b-8c3d-777777777777
                 */
                readonly connection_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "operation": "update",
                 *       "entity": "sales.order_lines",
                 *       "key_column": "id",
                 *       "key_value": 17,
                 *       "values": {
                 *         "quantity": 14
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @enum {string} */
                    readonly operation: "update" | "insert";
                    /** @description The table, as `schema.table`. */
                    readonly entity: string;
                    /** @description Of an update: the column that identifies the row. */
                    readonly key_column?: string;
                    /** @description Of an update: its value. */
                    readonly key_value?: string | number;
                    /** @description Column → value. Numbers keep every digit. */
                    readonly values: {
                        readonly [key: string]: string | number | boolean | null;
                    };
                };
            };
        };
        readonly responses: {
            /** @description How many rows would be affected, or why it would be refused. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RehearsedWrite"];
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReusedOrConnectionReadOnly"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrUpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listDatabases: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The databases. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly databases: readonly components["schemas"]["Database"][];
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listTables: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The database.
                 * @example sales
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tables. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly tables: readonly components["schemas"]["Table"][];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrQueryTimeout"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getSchema: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The database.
                 * @example sales
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tables with their columns. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly tables: readonly components["schemas"]["TableDetail"][];
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrQueryTimeout"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly readTable: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description How many to skip.
                 * @example 0
                 */
                readonly offset?: number;
                /**
                 * @description The most to return.
                 * @example 5000
                 */
                readonly limit?: number;
                /**
                 * @description The column to order by.
                 * @example id
                 */
                readonly order_by?: string;
                /**
                 * @description Needs `order_by`, else it is ignored.
                 * @example asc
                 */
                readonly order_direction?: "asc" | "desc";
                /**
                 * @description Needs `order_by`, else it is ignored.
                 * @example 17
                 */
                readonly incremental_value?: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The table: an `id` of the list of tables.
                 * @example sales.public.order_lines
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of rows; `has_more` is whether more rows follow. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly records: readonly components["schemas"]["ConnectionRecord"][];
                            readonly offset: number;
                            readonly limit: number;
                            readonly has_more: boolean;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrQueryTimeout"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly runQuery: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "database_id": "sales",
                 *       "query": "select item, sum(quantity) as sold from order_lines group by item"
                 *     }
                 */
                readonly "application/json": {
                    /** @description The database. */
                    readonly database_id: string;
                    /** @description One SELECT statement. */
                    readonly query: string;
                };
            };
        };
        readonly responses: {
            /** @description The rows. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly columns: readonly components["schemas"]["Column"][];
                            readonly records: readonly components["schemas"]["ConnectionRecord"][];
                            readonly row_count: number;
                            readonly truncated: boolean;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrQueryTimeout"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly searchWeb: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "query": "When is an invoice due?"
                 *     }
                 */
                readonly "application/json": {
                    /** @description Search terms or a question. */
                    readonly query: string;
                };
            };
        };
        readonly responses: {
            /** @description The summary and its sources. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["WebAnswer"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["UpstreamUnavailableOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getThread: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The conversation.
                 * @example 01989c0e-65f2-7a1b-8c3d-555555555555
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The thread. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Thread"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly continueThread: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The conversation.
                 * @example 01989c0e-65f2-7a1b-8c3d-555555555555
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "message": "What do the invoices come to?"
                 *     }
                 */
                readonly "application/json": {
                    /** @description The message. */
                    readonly message: string;
                };
            };
        };
        readonly responses: {
            /** @description The turn has ended, or a stream of it. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Exchange"];
                    };
                    readonly "text/event-stream": string;
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["ConversationBusy"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 429: components["responses"]["BudgetExhaustedOrRateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly getSnapshot: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The conversation.
                 * @example 01989c0e-65f2-7a1b-8c3d-555555555555
                 */
                readonly conversation_id: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The snapshot. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["SnapshotDownload"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly createSnapshot: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "conversationId": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *       "sizeBytes": 1048576
                 *     }
                 */
                readonly "application/json": {
                    /** @description The conversation. */
                    readonly conversationId: string;
                    /** @description The exact size of the upload. */
                    readonly sizeBytes: number;
                };
            };
        };
        readonly responses: {
            /** @description Where to upload it. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["SnapshotUpload"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReusedOrUploadQuotaExceeded"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewer"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listKeys: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Whose keys: the id or the email of a user. Without it: yours.
                 * @example ada@example.com
                 */
                readonly user?: string;
                /**
                 * @description The most to return.
                 * @example 100
                 */
                readonly limit?: number;
                /**
                 * @description The `next` of the page before.
                 * @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of keys; `next` is null on the last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly keys: readonly components["schemas"]["Key"][];
                            /** @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly createKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Laptop",
                 *       "scopes": [
                 *         "agents:read",
                 *         "runs:read"
                 *       ],
                 *       "expires_in_days": 90
                 *     }
                 */
                readonly "application/json": {
                    /** @description What it is for. */
                    readonly name: string;
                    /** @description null: everything that the user may do. */
                    readonly scopes?: readonly ("agents:read" | "runs:read" | "runs:write" | "documents:review")[] | null;
                    /** @description null: it does not expire. */
                    readonly expires_in_days?: number | null;
                };
            };
        };
        readonly responses: {
            /** @description The key. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["IssuedKey"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["TooManyKeys"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly rotateKey: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description How long the old key goes on working, if it does not end before.
                 * @example 86400
                 */
                readonly overlap_seconds?: number;
            };
            readonly header?: {
                /**
                 * @description Makes the request safe to repeat: with the same key, the same request within 24 hours is answered with the first answer and does nothing more. A key is of its credential and its operation. `"k"` is the same key as `k`.
                 * @example invoice-4711
                 */
                readonly "Idempotency-Key"?: string;
            };
            readonly path: {
                /**
                 * @description The key.
                 * @example 01989c0e-65f2-7a1b-8c3d-bbbbbbbbbbb1
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The new key. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    /** @description `true` if this repeats the first answer to the key. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["IssuedKey"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequestOrIdempotencyKeyReused"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["TooManyKeysOrConflict"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly revokeKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The key.
                 * @example 01989c0e-65f2-7a1b-8c3d-bbbbbbbbbbb1
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key is revoked. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            /** Format: uuid */
                            readonly id: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listGrants: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Your grants. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly grants: readonly components["schemas"]["Grant"][];
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly revokeGrant: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The grant.
                 * @example 01989c0e-65f2-7a1b-8c3d-bbbbbbbbbbb2
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The access has ended. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            /** Format: uuid */
                            readonly id: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScope"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listUsers: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The users. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly users: readonly components["schemas"]["Person"][];
                        };
                    };
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrAdminOnly"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly addUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "grace@example.com",
                 *       "name": "Grace Hopper",
                 *       "role": "member"
                 *     }
                 */
                readonly "application/json": {
                    readonly email: string;
                    readonly name: string;
                    /** @enum {string} */
                    readonly role: "admin" | "member" | "viewer";
                };
            };
        };
        readonly responses: {
            /** @description The user. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Person"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrAdminOnly"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["EmailTaken"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly changeUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The user.
                 * @example 01989c0e-65f2-7a1b-8c3d-777777777777
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "disabled": true
                 *     }
                 */
                readonly "application/json": {
                    readonly name?: string;
                    /** @enum {string} */
                    readonly role?: "admin" | "member" | "viewer";
                    readonly disabled?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description The user. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Person"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrAdminOnly"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["OwnAccountOrLastAdmin"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly inviteUser: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The user.
                 * @example 01989c0e-65f2-7a1b-8c3d-777777777777
                 */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The invitation. */
            readonly 201: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            /**
                             * Format: uri
                             * @description It works once.
                             */
                            readonly url: string;
                            /** Format: date-time */
                            readonly expires_at: string;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrAdminOnly"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listAudit: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The `next` of the page before, or the `sequence` of an entry: those that follow it.
                 * @example 4711
                 */
                readonly after?: number;
                /**
                 * @description The most to return.
                 * @example 100
                 */
                readonly limit?: number;
                /**
                 * @description With `newest` the newest entry comes first, and `next` leads to older ones.
                 * @example oldest
                 */
                readonly order?: "oldest" | "newest";
                /**
                 * @description The email of a user.
                 * @example ada@example.com
                 */
                readonly actor?: string;
                /**
                 * @description An action, or all of a kind: `document.*`.
                 * @example document.*
                 */
                readonly action?: "*" | "sign_in.*" | "sign_in.succeeded" | "sign_in.failed" | "user.*" | "user.created" | "user.changed" | "user.disabled" | "user.enabled" | "key.*" | "key.created" | "key.rotated" | "key.revoked" | "grant.*" | "grant.created" | "grant.revoked" | "workspace.*" | "workspace.applied" | "agent.*" | "agent.published" | "document.*" | "document.changed" | "document.approved" | "document.rejected" | "document.reopened" | "document.processed" | "document.trashed" | "document.restored" | "document.held" | "document.released" | "document.downloaded" | "documents.*" | "documents.exported" | "record.*" | "record.inserted" | "record.updated" | "approval.*" | "approval.decided" | "erasure.*" | "erasure.requested" | "retention.*" | "retention.changed" | "audit.*" | "audit.exported";
                /**
                 * @description The id of what it was done to.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly subject?: string;
                /**
                 * @description The earliest time, inclusive.
                 * @example 2026-11-20T00:00:00.000Z
                 */
                readonly from?: string;
                /**
                 * @description The latest time, inclusive.
                 * @example 2026-11-20T23:59:59.999Z
                 */
                readonly to?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of entries; `next` is null on the last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly entries: readonly components["schemas"]["AuditEntry"][];
                            /** @description By its id, what each document of the page is called now: of those that you see. It is not part of the chain. */
                            readonly names: {
                                readonly [key: string]: string;
                            };
                            readonly next: number | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrAdminOnly"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly exportAudit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The entries, as they are read. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": string;
                };
            };
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrAdminOnly"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly listErasures: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The most to return.
                 * @example 20
                 */
                readonly limit?: number;
                /**
                 * @description The `next` of the page before.
                 * @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg
                 */
                readonly after?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of receipts; `next` is null on the last one. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: {
                            readonly erasures: readonly components["schemas"]["Erasure"][];
                            /** @example AaH4SpZWAZicDmXyehuMPWZmZmZmZg */
                            readonly next: string | null;
                        };
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrAdminOnly"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly erase: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "document_id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *       "reason": "The customer asked for it."
                 *     }
                 */
                readonly "application/json": {
                    /**
                     * Format: uuid
                     * @description One of the three is required, and no more than one.
                     */
                    readonly document_id?: string;
                    /** Format: uuid */
                    readonly run_id?: string;
                    /** Format: uuid */
                    readonly thread_id?: string;
                    /** @description Kept with the receipt: write no content here. */
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description The receipt: it is erased. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Erasure"];
                    };
                };
            };
            /** @description It is removed from lists already, and goes on without you: `GET /erasures` says when it is complete. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly data: components["schemas"]["Erasure"];
                    };
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthenticated"];
            readonly 403: components["responses"]["MissingScopeOrViewerOrAdminOnly"];
            readonly 404: components["responses"]["NotFound"];
            readonly 408: components["responses"]["RequestTimeout"];
            readonly 409: components["responses"]["HeldOrConflict"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 415: components["responses"]["UnsupportedMediaType"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["OutcomeUnknownOrInternal"];
            readonly 503: components["responses"]["StoppingOrBusy"];
        };
    };
    readonly openMcpStream: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A stream of comments without events, for clients that insist on a stream. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            /** @description The client does not accept a stream of events. */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpReply"];
                };
            };
            /** @description No valid credential. `unauthenticated`: The credential is missing, mistyped, expired, revoked, or of a kind this operation does not take. */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Not allowed. `missing_scope`: The credential lacks the scope of the operation; `required_scope` names it if there is one. An error of the protocol if the `Origin` may not call. */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"] | components["schemas"]["McpReply"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Not found. `not_found`: There is no such thing, or it is not visible to the caller. An error of the protocol if a revision without a handshake does not have the method. */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"] | components["schemas"]["McpReply"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description This server opens no streams, or the credential has too many. */
            readonly 405: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpReply"];
                };
            };
            /** @description Rate limit exceeded. `rate_limited`: A rate limit is spent, your share of the sessions of a connected system is in use, or too many pages wait to be drawn: wait for the seconds in `Retry-After`. */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly "x-ratelimit-limit": components["headers"]["x-ratelimit-limit"];
                    readonly "x-ratelimit-remaining": components["headers"]["x-ratelimit-remaining"];
                    readonly "x-ratelimit-reset": components["headers"]["x-ratelimit-reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unexpected failure. `internal`: Something failed on the server. Try again; `request_id` finds it in the server’s log. */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description The server cannot answer at the moment. `stopping`: The server stopped before it could answer: send the request again after the seconds in `Retry-After`. */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    readonly sendMcpMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "tools/list"
                 *     }
                 */
                readonly "application/json": components["schemas"]["McpMessage"] | readonly components["schemas"]["McpMessage"][];
            };
        };
        readonly responses: {
            /** @description The reply; or a stream of events, the last of which is the reply, if a tool reports progress or takes long. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpReply"] | readonly components["schemas"]["McpReply"][];
                    readonly "text/event-stream": string;
                };
            };
            /** @description A notification or a reply was accepted: it has no reply. */
            readonly 202: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The protocol does not allow the message. */
            readonly 400: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpReply"];
                };
            };
            /** @description No valid credential. `unauthenticated`: The credential is missing, mistyped, expired, revoked, or of a kind this operation does not take. */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Not allowed. `missing_scope`: The credential lacks the scope of the operation; `required_scope` names it if there is one. An error of the protocol if the `Origin` may not call. */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"] | components["schemas"]["McpReply"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Not found. `not_found`: There is no such thing, or it is not visible to the caller. An error of the protocol if a revision without a handshake does not have the method. */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"] | components["schemas"]["McpReply"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description The request did not arrive in time. `request_timeout`: The headers or the body of the request did not arrive within 30 seconds: send it again. */
            readonly 408: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description The message is larger than 4 MiB. */
            readonly 413: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpReply"];
                };
            };
            /** @description Rate limit exceeded. `rate_limited`: A rate limit is spent, your share of the sessions of a connected system is in use, or too many pages wait to be drawn: wait for the seconds in `Retry-After`. */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly "x-ratelimit-limit": components["headers"]["x-ratelimit-limit"];
                    readonly "x-ratelimit-remaining": components["headers"]["x-ratelimit-remaining"];
                    readonly "x-ratelimit-reset": components["headers"]["x-ratelimit-reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unexpected failure. `internal`: Something failed on the server. Try again; `request_id` finds it in the server’s log. */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description The server cannot answer at the moment. `stopping`: The server stopped before it could answer: send the request again after the seconds in `Retry-After`. */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    readonly endMcpSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The agent.
                 * @example 01989c0e-65f2-7a1b-8c3d-222222222222
                 */
                readonly agent_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description There was no session to end. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": Record<string, never>;
                };
            };
            /** @description No valid credential. `unauthenticated`: The credential is missing, mistyped, expired, revoked, or of a kind this operation does not take. */
            readonly 401: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Not allowed. `missing_scope`: The credential lacks the scope of the operation; `required_scope` names it if there is one. An error of the protocol if the `Origin` may not call. */
            readonly 403: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"] | components["schemas"]["McpReply"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Not found. `not_found`: There is no such thing, or it is not visible to the caller. An error of the protocol if a revision without a handshake does not have the method. */
            readonly 404: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"] | components["schemas"]["McpReply"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Rate limit exceeded. `rate_limited`: A rate limit is spent, your share of the sessions of a connected system is in use, or too many pages wait to be drawn: wait for the seconds in `Retry-After`. */
            readonly 429: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly "x-ratelimit-limit": components["headers"]["x-ratelimit-limit"];
                    readonly "x-ratelimit-remaining": components["headers"]["x-ratelimit-remaining"];
                    readonly "x-ratelimit-reset": components["headers"]["x-ratelimit-reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unexpected failure. `internal`: Something failed on the server. Try again; `request_id` finds it in the server’s log. */
            readonly 500: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
            /** @description The server cannot answer at the moment. `stopping`: The server stopped before it could answer: send the request again after the seconds in `Retry-After`. */
            readonly 503: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    readonly "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    readonly "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    readonly "Retry-After": components["headers"]["Retry-After"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ApiError"];
                    readonly "application/problem+json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    readonly onRunQueued: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "run.queued",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "workflow_type": "document_extraction",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "agent_name": "Invoice reader",
                 *         "status": "queued",
                 *         "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                 *         "error": null,
                 *         "created_at": "2026-11-20T09:30:00.000Z",
                 *         "started_at": "2026-11-20T09:30:00.120Z",
                 *         "completed_at": "2026-11-20T09:30:04.810Z",
                 *         "process_together": false,
                 *         "waiting_for": null,
                 *         "attempt": 1,
                 *         "status_reason": null,
                 *         "source": null,
                 *         "usage": {
                 *           "input_tokens": 2113,
                 *           "output_tokens": 187
                 *         },
                 *         "cost": "0.0071525"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "run.queued";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["Run"] & {
                        /** @constant */
                        readonly status?: "queued";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onRunRunning: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "run.running",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "workflow_type": "document_extraction",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "agent_name": "Invoice reader",
                 *         "status": "running",
                 *         "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                 *         "error": null,
                 *         "created_at": "2026-11-20T09:30:00.000Z",
                 *         "started_at": "2026-11-20T09:30:00.120Z",
                 *         "completed_at": "2026-11-20T09:30:04.810Z",
                 *         "process_together": false,
                 *         "waiting_for": null,
                 *         "attempt": 1,
                 *         "status_reason": null,
                 *         "source": null,
                 *         "usage": {
                 *           "input_tokens": 2113,
                 *           "output_tokens": 187
                 *         },
                 *         "cost": "0.0071525"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "run.running";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["Run"] & {
                        /** @constant */
                        readonly status?: "running";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onRunCompleted: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "run.completed",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "workflow_type": "document_extraction",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "agent_name": "Invoice reader",
                 *         "status": "completed",
                 *         "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                 *         "error": null,
                 *         "created_at": "2026-11-20T09:30:00.000Z",
                 *         "started_at": "2026-11-20T09:30:00.120Z",
                 *         "completed_at": "2026-11-20T09:30:04.810Z",
                 *         "process_together": false,
                 *         "waiting_for": null,
                 *         "attempt": 1,
                 *         "status_reason": null,
                 *         "source": null,
                 *         "usage": {
                 *           "input_tokens": 2113,
                 *           "output_tokens": 187
                 *         },
                 *         "cost": "0.0071525"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "run.completed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["Run"] & {
                        /** @constant */
                        readonly status?: "completed";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onRunFailed: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "run.failed",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "workflow_type": "document_extraction",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "agent_name": "Invoice reader",
                 *         "status": "failed",
                 *         "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                 *         "error": null,
                 *         "created_at": "2026-11-20T09:30:00.000Z",
                 *         "started_at": "2026-11-20T09:30:00.120Z",
                 *         "completed_at": "2026-11-20T09:30:04.810Z",
                 *         "process_together": false,
                 *         "waiting_for": null,
                 *         "attempt": 1,
                 *         "status_reason": null,
                 *         "source": null,
                 *         "usage": {
                 *           "input_tokens": 2113,
                 *           "output_tokens": 187
                 *         },
                 *         "cost": "0.0071525"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "run.failed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["Run"] & {
                        /** @constant */
                        readonly status?: "failed";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onRunCancelled: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "run.cancelled",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "workflow_type": "document_extraction",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "agent_name": "Invoice reader",
                 *         "status": "cancelled",
                 *         "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
                 *         "error": null,
                 *         "created_at": "2026-11-20T09:30:00.000Z",
                 *         "started_at": "2026-11-20T09:30:00.120Z",
                 *         "completed_at": "2026-11-20T09:30:04.810Z",
                 *         "process_together": false,
                 *         "waiting_for": null,
                 *         "attempt": 1,
                 *         "status_reason": null,
                 *         "source": null,
                 *         "usage": {
                 *           "input_tokens": 2113,
                 *           "output_tokens": 187
                 *         },
                 *         "cost": "0.0071525"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "run.cancelled";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["Run"] & {
                        /** @constant */
                        readonly status?: "cancelled";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentReady: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.ready",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "ready",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 1,
                 *         "review": {
                 *           "status": "not_required",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.ready";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & {
                        /** @constant */
                        readonly status?: "ready";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentProcessed: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.processed",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "processed",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 1,
                 *         "review": {
                 *           "status": "not_required",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.processed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & {
                        /** @constant */
                        readonly status?: "processed";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentError: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.error",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "error",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 1,
                 *         "review": {
                 *           "status": "not_required",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.error";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & {
                        /** @constant */
                        readonly status?: "error";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentTrashed: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.trashed",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "trashed",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 1,
                 *         "review": {
                 *           "status": "not_required",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.trashed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & {
                        /** @constant */
                        readonly status?: "trashed";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentReview_required: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.review_required",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "ready",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 1,
                 *         "review": {
                 *           "status": "pending",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.review_required";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & {
                        readonly review?: components["schemas"]["Review"] & {
                            /** @constant */
                            readonly status?: "pending";
                        };
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentApproved: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.approved",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "ready",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 1,
                 *         "review": {
                 *           "status": "approved",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.approved";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & {
                        readonly review?: components["schemas"]["Review"] & {
                            /** @constant */
                            readonly status?: "approved";
                        };
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentRejected: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.rejected",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "ready",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 1,
                 *         "review": {
                 *           "status": "rejected",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.rejected";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & {
                        readonly review?: components["schemas"]["Review"] & {
                            /** @constant */
                            readonly status?: "rejected";
                        };
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentChanged: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.changed",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "ready",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 2,
                 *         "review": {
                 *           "status": "not_required",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.changed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & Record<string, never>;
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onDocumentRestored: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "document.restored",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-666666666666",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_version": 3,
                 *         "model": "openai/gpt-5",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "name": "invoice-4711.pdf",
                 *         "status": "ready",
                 *         "coverage": {
                 *           "pages_read": 2,
                 *           "pages_total": 2,
                 *           "characters_read": 3120,
                 *           "characters_total": 3120,
                 *           "complete": true,
                 *           "unread": []
                 *         },
                 *         "einvoice": null,
                 *         "evidence": {
                 *           "/invoice_number": {
                 *             "quote": "Invoice no. 4711",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 1,
                 *             "boxes": [
                 *               {
                 *                 "page": 1,
                 *                 "x": 0.12,
                 *                 "y": 0.08,
                 *                 "width": 0.21,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "exact",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           },
                 *           "/total": {
                 *             "quote": "Total 1,190.50 EUR",
                 *             "file_name": "invoice-4711.pdf",
                 *             "page": 2,
                 *             "boxes": [
                 *               {
                 *                 "page": 2,
                 *                 "x": 0.61,
                 *                 "y": 0.72,
                 *                 "width": 0.27,
                 *                 "height": 0.014
                 *               }
                 *             ],
                 *             "approximate": false,
                 *             "support": "normalized",
                 *             "source": "text",
                 *             "confidence": null,
                 *             "xpath": null
                 *           }
                 *         },
                 *         "error": null,
                 *         "external_reference": null,
                 *         "created_at": "2026-11-20T09:30:00.150Z",
                 *         "updated_at": "2026-11-20T09:30:04.790Z",
                 *         "processed_at": null,
                 *         "revision": 1,
                 *         "review": {
                 *           "status": "not_required",
                 *           "reasons": [],
                 *           "reviewer": null,
                 *           "note": null,
                 *           "decided_at": null,
                 *           "decided_via": null
                 *         },
                 *         "checks": [
                 *           {
                 *             "name": "sum",
                 *             "status": "passed",
                 *             "message": null
                 *           }
                 *         ],
                 *         "posting": {
                 *           "automatic": false,
                 *           "by": null,
                 *           "next_attempt_at": null,
                 *           "failed_attempts": 0,
                 *           "failing_since": null,
                 *           "last_error": null
                 *         }
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "document.restored";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["DocumentEvent"] & Record<string, never>;
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onApprovalRequested: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "approval.requested",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-999999999999",
                 *         "status": "pending",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_name": "Invoice reader",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "tool": "ledger_insert_record",
                 *         "arguments": {
                 *           "entity": "public.payments",
                 *           "values": {
                 *             "invoice": "4711",
                 *             "amount": 1190.5
                 *           }
                 *         },
                 *         "arguments_digest": "1c0f3a2b5d7e9f8c6b4a39281706f5e4d3c2b1a09f8e7d6c5b4a392817060504",
                 *         "rehearsal": {
                 *           "rows_affected": 1,
                 *           "rejected": null
                 *         },
                 *         "requested_at": "2026-11-20T09:30:02.000Z",
                 *         "expires_at": "2026-11-21T09:30:02.000Z",
                 *         "requested_by": {
                 *           "id": "01989c0e-65f2-7a1b-8c3d-777777777777",
                 *           "name": "Ada",
                 *           "email": "ada@example.com"
                 *         },
                 *         "decided_at": null,
                 *         "decided_by": null,
                 *         "note": null
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "approval.requested";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["Approval"] & {
                        /** @constant */
                        readonly status?: "pending";
                    };
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onApprovalDecided: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "approval.decided",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "id": "01989c0e-65f2-7a1b-8c3d-999999999999",
                 *         "status": "denied",
                 *         "agent_id": "01989c0e-65f2-7a1b-8c3d-222222222222",
                 *         "agent_name": "Invoice reader",
                 *         "run_id": "01989c0e-65f2-7a1b-8c3d-444444444444",
                 *         "conversation_id": "01989c0e-65f2-7a1b-8c3d-555555555555",
                 *         "tool": "ledger_insert_record",
                 *         "arguments": {
                 *           "entity": "public.payments",
                 *           "values": {
                 *             "invoice": "4711",
                 *             "amount": 1190.5
                 *           }
                 *         },
                 *         "arguments_digest": "1c0f3a2b5d7e9f8c6b4a39281706f5e4d3c2b1a09f8e7d6c5b4a392817060504",
                 *         "rehearsal": {
                 *           "rows_affected": 1,
                 *           "rejected": null
                 *         },
                 *         "requested_at": "2026-11-20T09:30:02.000Z",
                 *         "expires_at": "2026-11-21T09:30:02.000Z",
                 *         "requested_by": {
                 *           "id": "01989c0e-65f2-7a1b-8c3d-777777777777",
                 *           "name": "Ada",
                 *           "email": "ada@example.com"
                 *         },
                 *         "decided_at": null,
                 *         "decided_by": null,
                 *         "note": null
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "approval.decided";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["Approval"] & Record<string, never>;
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onAuditCheckpoint: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "audit.checkpoint",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "sequence": 4711,
                 *         "hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "audit.checkpoint";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["AuditCheckpoint"] & Record<string, never>;
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onBudgetWarning: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "budget.warning",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "budget": "All agents",
                 *         "agent": null,
                 *         "period_start": "2026-11-01",
                 *         "limit": "500.00",
                 *         "spent": "401.27",
                 *         "currency": "EUR"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "budget.warning";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["BudgetMark"] & Record<string, never>;
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly onBudgetExhausted: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /**
                 * @description The same for every attempt to send the event.
                 * @example 01989c0e-65f2-7a1b-8c3d-666666666666
                 */
                readonly "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When it was sent: a Unix timestamp in seconds.
                 * @example 1795167000
                 */
                readonly "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                readonly "webhook-signature": components["parameters"]["webhook-signature"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "type": "budget.exhausted",
                 *       "timestamp": "2026-11-20T09:30:04.790Z",
                 *       "sequence": 89266408955911,
                 *       "event_id": "01a1f84a-a876-7111-9111-512ff498a007",
                 *       "data": {
                 *         "budget": "All agents",
                 *         "agent": null,
                 *         "period_start": "2026-11-01",
                 *         "limit": "500.00",
                 *         "spent": "500.0028",
                 *         "currency": "EUR"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @constant */
                    readonly type: "budget.exhausted";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     */
                    readonly timestamp: string;
                    /** @description The number of the event in the log; numbers only grow. */
                    readonly sequence: number;
                    /**
                     * Format: uuid
                     * @description The `id` of the event in the log, the same for every webhook.
                     */
                    readonly event_id: string;
                    readonly data: components["schemas"]["BudgetMark"] & Record<string, never>;
                };
            };
        };
        readonly responses: {
            /** @description The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again. */
            readonly 410: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was accepted. */
            readonly "2XX": {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
