import * as z from 'zod/mini';

/**
 * The vocabulary of the block schemas. A schema says which keys a block has and which YAML type each value takes; rules that
 * need words of their own live in the block's reader. A scalar or mapping written as `null` reads as absent; a list does not,
 * because an empty `allow:` could mean nothing or everything.
 *
 * `zod/mini`: the same schemas in a tenth of the code once bundled.
 */
export const text = () => z.nullish(z.string());
export const flag = () => z.nullish(z.boolean());
export const number = () => z.nullish(z.number());
export const word = <const T extends readonly [string, ...string[]]>(words: T) => z.nullish(z.enum(words));
export const list = <T extends z.ZodMiniType>(element: T) => z.optional(z.array(element));
export const texts = () => list(z.string());
export const block = <T extends Record<string, z.ZodMiniType>>(keys: T) => z.nullish(z.object(keys));
/** A mapping whose keys are names chosen by the author. */
export const named = <T extends z.ZodMiniType>(value: T) => z.nullish(z.record(z.string(), value));
/** A value carried without looking inside. */
export const free = () => z.optional(z.unknown());

export { z };
