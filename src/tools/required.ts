import { isObject, readToolManifest, schemaValue } from './manifest.js';

export type RequiredCheck =
  | { readonly ok: true; readonly warning?: RequiredWarning }
  | {
      readonly ok: false;
      /** Missing names, in the schema's order. */
      readonly missing: readonly string[];
      readonly required: readonly string[];
      /** The error result for the model. */
      readonly message: string;
    };

export interface RequiredWarning {
  readonly code: 'W-RUN-004';
  readonly message: string;
}

/**
 * Whether `input` has every name the root `required` of the tool's schema lists (spec/tools.md 3.1). A value of null or ''
 * counts as there; an input that is no object lacks every name. `manifestText` is read now, so a tool that was pulled a
 * moment ago is judged too; skills, and tools without a usable list, are not judged.
 */
export function checkRequired(tool: string, manifestText: string | undefined, input: unknown): RequiredCheck {
  const manifest = manifestText === undefined ? undefined : readToolManifest(manifestText);
  if (manifest?.schema === undefined || manifest.runtime === 'skill') return { ok: true };
  const schema = schemaValue(manifest.schema);
  if (schema === undefined) return { ok: true };
  if (!isObject(schema)) return unusable(tool, 'its root is not an object');
  const required = schema.required;
  if (required === undefined) return { ok: true };
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string')) {
    return unusable(tool, "its 'required' is not a list of strings");
  }
  const missing = required.filter((name) => !isObject(input) || !Object.hasOwn(input, name));
  if (missing.length === 0) return { ok: true };
  return {
    ok: false,
    missing,
    required,
    message:
      `Tool '${tool}' was not run: its input lacks ${quoted(missing)}. ` +
      `Required: ${quoted(required)}. Nothing was changed. Call it again with all of them.`,
  };
}

/** `warn`, but once per tool: give each session its own. */
export function warnOncePerTool(
  warn: (warning: RequiredWarning) => void,
): (tool: string, check: RequiredCheck) => void {
  const warned = new Set<string>();
  return (tool, check) => {
    if (!check.ok || check.warning === undefined || warned.has(tool)) return;
    warned.add(tool);
    warn(check.warning);
  };
}

function unusable(tool: string, reason: string): RequiredCheck {
  return {
    ok: true,
    warning: {
      code: 'W-RUN-004',
      message: `input_schema of tool '${tool}' is not usable: ${reason}. Its required inputs are not checked`,
    },
  };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
