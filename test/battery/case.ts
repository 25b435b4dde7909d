import type { Class, Expected, Graded } from './verdict.js';

/** What is open in the runtime of the battery without close-on-exec. */
export const leakedDescriptor = 40;

/** One row of the battery. */
export interface Case extends Graded {
  readonly id: string;
  /** Where the row comes from: a section of the spec's checklist, or the table of the design. */
  readonly from: string;
  readonly attempt: string;
  readonly code: string;
  readonly kind: 'boundary' | 'ceiling' | 'work';
  /** The box it needs; `plain`: default policy, no allowed host. */
  readonly box: BoxKind;
  /** Why a verdict is not what the checklist says, or proves less than it seems. */
  readonly note?: string;
  /** Part of the short run as well. */
  readonly short: boolean;
}

export type BoxKind = 'plain' | 'unix-sockets' | 'workdir-exec' | 'tight';

type Columns = readonly [advisory: Expected, scoped: Expected, sealed: Expected, unconfined?: Expected];

/** What each class promises. `unconfined` promises nothing of a kernel, so it has a column only where the runtime itself answers. */
export function columns([advisory, scoped, sealed, unconfined = 'n/a']: Columns): Readonly<Record<Class, Expected>> {
  return { unconfined, advisory, scoped, sealed };
}

type Rest = Partial<Pick<Case, 'box' | 'note' | 'short' | 'kind'>>;

/** A row of one section. `by` says which mechanism each errno speaks for. */
export function rows(from: string) {
  const add = (
    id: string,
    attempt: string,
    expect: Columns,
    by: Readonly<Record<string, string>>,
    code: string,
    rest: Rest = {},
  ): Case => ({
    id,
    from,
    attempt,
    expect: columns(expect),
    by,
    code,
    kind: 'boundary',
    box: 'plain',
    short: true,
    ...rest,
  });
  return {
    add,
    /** Nothing promised at `advisory`, refused above. */
    refused: (id: string, attempt: string, by: Readonly<Record<string, string>>, code: string, rest: Rest = {}): Case =>
      add(id, attempt, ['n/a', 'REFUSED', 'REFUSED'], by, code, rest),
    works: (id: string, attempt: string, code: string, rest: Rest = {}): Case =>
      add(id, attempt, ['SUCCESS', 'SUCCESS', 'SUCCESS'], {}, code, rest),
  };
}
