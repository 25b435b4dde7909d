/** The parts of mur that stay hidden until somebody asks for them (spec/cli.md section 1). */

export interface BetaRow {
  /** What it brings, in one line. */
  readonly what: string;
  /** False while this version only knows the name. */
  readonly isBuilt: boolean;
}

const features = {
  'mur-new': { what: 'mur new "<task>": a capsule written from a description', isBuilt: false },
  'mur-deploy': { what: 'mur deploy, mur destroy: capsules on machines elsewhere', isBuilt: false },
  'mur-topology': { what: 'mur topology: who calls whom, from traces', isBuilt: false },
} satisfies Record<string, BetaRow>;

export type BetaFeature = keyof typeof features;
export const betaFeatures: Readonly<Record<BetaFeature, BetaRow>> = features;
