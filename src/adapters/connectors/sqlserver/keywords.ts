/** Reserved words of T-SQL that a SELECT may have in it. */
const inSelect = new Set(
  `ALL AND ANY AS ASC BETWEEN BY CASE COALESCE COLLATE CONTAINS CONTAINSTABLE CONVERT CROSS CURRENT CURRENT_DATE CURRENT_TIME
  CURRENT_TIMESTAMP CURRENT_USER DEFAULT DESC DISTINCT DOUBLE ELSE END ESCAPE EXCEPT EXISTS FETCH FOR FREETEXT FREETEXTTABLE FROM FULL GROUP HAVING
  IDENTITYCOL IN INDEX INNER INTERSECT IS JOIN LEFT LIKE MERGE NATIONAL NOT NULL NULLIF OF ON OPTION OR ORDER OUTER OVER PERCENT PIVOT PLAN
  PRECISION RIGHT ROWGUIDCOL SELECT SEMANTICKEYPHRASETABLE SEMANTICSIMILARITYDETAILSTABLE SEMANTICSIMILARITYTABLE SESSION_USER SOME
  SYSTEM_USER TABLE TABLESAMPLE THEN TO TOP TRY_CONVERT UNION UNPIVOT USE USER VALUES VARYING WHEN WHERE WITH WITHIN`.split(
    /\s+/,
  ),
);

/** All others that are reserved: each begins or belongs to a statement that is not a SELECT, and as a name it must be quoted. */
const elsewhere = new Set(
  `ADD ALTER AUTHORIZATION BACKUP BEGIN BREAK BROWSE BULK CASCADE CHECK CHECKPOINT CLOSE CLUSTERED COLUMN COMMIT COMPUTE CONSTRAINT CONTINUE
  CREATE CURSOR DATABASE DBCC DEALLOCATE DECLARE DELETE DENY DISK DISTRIBUTED DROP DUMP ERRLVL EXEC EXECUTE EXIT EXTERNAL FILE
  FILLFACTOR FOREIGN FUNCTION GOTO GRANT HOLDLOCK IDENTITY IDENTITY_INSERT IF INSERT INTO KEY KILL LINENO LOAD NOCHECK NONCLUSTERED OFF
  OFFSETS OPEN OPENDATASOURCE OPENQUERY OPENROWSET OPENXML PRIMARY PRINT PROC PROCEDURE PUBLIC RAISERROR READ READTEXT RECONFIGURE
  REFERENCES REPLICATION RESTORE RESTRICT RETURN REVERT REVOKE ROLLBACK ROWCOUNT RULE SAVE SCHEMA SECURITYAUDIT SET SETUSER SHUTDOWN
  STATISTICS TEXTSIZE TRAN TRANSACTION TRIGGER TRUNCATE TSEQUAL UNIQUE UPDATE UPDATETEXT VIEW WAITFOR WHILE WRITETEXT`.split(
    /\s+/,
  ),
);

/** Hints that take locks which keep others from writing, or even from reading, for as long as the statement runs. */
const lockHints = new Set(['UPDLOCK', 'XLOCK', 'TABLOCK', 'TABLOCKX', 'PAGLOCK', 'SERIALIZABLE', 'REPEATABLEREAD']);

/** Functions that take the name of a table in a way of their own. */
const namesTables = new Set(['PREDICT', 'VECTOR_SEARCH']);

/** Functions that say of any object of the database what it is called, how it is defined, or whether it is there. */
const tellsOfObjects = new Set(
  `COL_LENGTH COL_NAME COLUMNPROPERTY COLUMNPROPERTYEX HAS_PERMS_BY_NAME IDENT_CURRENT IDENT_INCR IDENT_SEED INDEX_COL INDEXKEY_PROPERTY
  INDEXPROPERTY OBJECT_DEFINITION OBJECT_ID OBJECT_NAME OBJECT_SCHEMA_NAME OBJECTPROPERTY OBJECTPROPERTYEX SCHEMA_ID SCHEMA_NAME STATS_DATE
  TYPE_ID TYPE_NAME TYPEPROPERTY`.split(/\s+/),
);

/** Functions of the system that read the server's files, its log or its disks. */
const reachingOut = new Set([
  'fn_dblog',
  'fn_dblog_xtp',
  'fn_dump_dblog_xtp',
  'fn_full_dblog',
  'fn_msxe_read_event_stream',
  'fn_servershareddrives',
  'fn_dump_dblog',
  'fn_get_audit_file',
  'fn_get_audit_file_v2',
  'fn_trace_gettable',
  'fn_xe_file_target_read_file',
  'fn_xe_telemetry_blob_target_read_file',
  'dm_os_enumerate_filesystem',
  'dm_os_enumerate_fixed_drives',
  'dm_os_file_exists',
]);

/** A word as the server may read it: in capitals, fullwidth and other forms of a letter taken for the letter. */
export const keyword = (word: string): string => word.normalize('NFKC').toUpperCase();

/** Why a word may not stand in a SELECT, or null. What follows an accent is looked at apart, because a server might end the word there. */
export const forbiddenWord = (word: string): string | null => {
  const upper = keyword(word);
  const bare = keyword(word.split(/\p{M}/u)[0] ?? '');
  const refused = [upper, bare].find((form) => elsewhere.has(form));
  if (refused)
    return `${refused} is not allowed in a query: it has to be one SELECT (as a name it is written [${refused.toLowerCase()}])`;
  return lockHints.has(upper)
    ? `${upper} is not allowed in a query: it would lock others out (as a name it is written [${upper.toLowerCase()}])`
    : null;
};

/** Why a name may not stand in a SELECT, quoted or not, or null; `called` if it may be that of a function or table. */
export const forbiddenName = (name: string, called: boolean): string | null => {
  const lower = name.normalize('NFKC').toLowerCase();
  if (called && lower.startsWith('xp_'))
    return `${name} is not allowed in a query: extended procedures reach out of the database`;
  return reachingOut.has(lower) ? `${name} is not allowed in a query: it reads what is not in the database` : null;
};

export const isReservedInSelect = (word: string): boolean => inSelect.has(keyword(word));

export const readsByName = (word: string): boolean => namesTables.has(keyword(word));

export const readsCatalogue = (word: string): boolean => tellsOfObjects.has(keyword(word));
