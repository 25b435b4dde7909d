/** What every view sees, and the one way to change what is looked at. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { LinkState } from '../link.js';
import type { Axis } from '../store/axis.js';
import type { Call } from '../store/call.js';
import type { CameraMode } from '../store/camera.js';
import type { Cursor, Model, SessionModel } from '../store/model.js';
import type { Moment } from '../store/moment.js';
import type { Problem } from '../store/problems.js';
import type { Task } from '../store/story.js';

export const mainViews = ['chart', 'calls', 'messages', 'events'] as const;
export const sideViews = ['story', 'state', 'session'] as const;
export type MainView = (typeof mainViews)[number];
export type SideView = (typeof sideViews)[number];

export interface Ui {
  /** Chosen session; null follows the newest. */
  readonly sys: string | null;
  readonly main: MainView;
  readonly side: SideView;
  /** Which of the two is in front where only one has room. */
  readonly front: 'main' | 'side';
  /** Null is now. */
  readonly cursor: Cursor | null;
  /** Chosen chart, by the id of an actor or of a machine; null follows what is active. */
  readonly actor: string | null;
  readonly level: string | null;
  readonly call: string | null;
  readonly camera: CameraMode;
  readonly playing: boolean;
  readonly speed: number;
  readonly rail: boolean | null;
  readonly help: boolean;
}

/** Everything that follows from the model and the cursor, worked out once per change. */
export interface Picture {
  readonly session: SessionModel;
  readonly moment: Moment;
  readonly calls: readonly Call[];
  readonly story: readonly Task[];
  readonly problems: readonly Problem[];
  readonly axis: Axis;
  /** The time that is shown: the cursor's, or now. */
  readonly at: number;
  readonly isLive: boolean;
  readonly isOver: boolean;
}

export interface App {
  readonly model: Model;
  readonly link: LinkState;
  readonly ui: Ui;
  set(change: Partial<Ui>): void;
  /** Shows the session as it was at `at`; null is now. */
  seek(at: number | null): void;
  /** Shows a call: its card, and the middle of its time. */
  openCall(call: Call): void;
  readonly narrow: boolean;
}

export const AppContext = createContext<App>(null as unknown as App);
export const PictureContext = createContext<Picture>(null as unknown as Picture);

export const useApp = (): App => useContext(AppContext);
export const usePicture = (): Picture => useContext(PictureContext);
