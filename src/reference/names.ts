/** The kinds of file that have a schema. */
export const schemaNames = ['capsule', 'artifact', 'config', 'lock'] as const;
export type SchemaName = (typeof schemaNames)[number];
