/** Play, step, speed, the slider, and how much of the time is shown. */
import { clockText } from '../store/names.js';
import { speeds, startPlaying, stepFrom } from '../store/steps.js';
import { useApp, usePicture } from './app-context.js';
import { IconButton } from './icon.js';
import { percent } from './tracks.js';

export function Transport({ zoom, isZoomed }: { zoom: (by: number | null) => void; isZoomed: boolean }) {
  const { ui, set, seek } = useApp();
  const { axis, at, isLive, isOver, session } = usePicture();
  const step = (by: number) => seek(stepFrom(session, at, by));
  return (
    <div class="transport">
      <IconButton icon="first" label="To the start" shortcut="Home" act={() => seek(axis.start)} />
      <IconButton icon="back" label="Step back" shortcut="←" act={() => step(-1)} />
      <IconButton
        icon={ui.playing ? 'pause' : 'play'}
        label={ui.playing ? 'Pause' : 'Play'}
        shortcut="Space"
        className="play"
        act={() => set(ui.playing ? { playing: false } : startPlaying(ui.cursor === null, axis))}
      />
      <IconButton icon="next" label="Step forward" shortcut="→" act={() => step(1)} />
      <button
        type="button"
        class={`live-button ${isLive ? 'on' : ''}`}
        aria-pressed={ui.cursor === null}
        title={isOver ? 'To the end (End)' : 'Back to now (End)'}
        onClick={() => seek(null)}
      >
        <span class="dot" /> {isOver ? 'end' : 'live'}
      </button>
      <button
        type="button"
        class="speed"
        aria-label={`Speed ${ui.speed} times`}
        onClick={() => set({ speed: speeds[(speeds.indexOf(ui.speed as 1) + 1) % speeds.length]! })}
      >
        {ui.speed}×
      </button>
      <label class="hidden" for="moment">
        Moment
      </label>
      <input
        id="moment"
        class={isLive ? 'moment live' : 'moment'}
        style={{ '--at': percent(axis.position(at)) }}
        type="range"
        min={0}
        max={1000}
        value={Math.round(axis.position(at) * 1000)}
        aria-valuetext={`${clockText(at - axis.start)} of ${clockText(axis.end - axis.start)}${isLive ? ', live' : ''}`}
        onInput={(event) => seek(axis.time(Number(event.currentTarget.value) / 1000))}
      />
      <span class="clock">
        <strong>{clockText(at - axis.start)}</strong> <span class="dim">/ {clockText(axis.end - axis.start)}</span>
      </span>
      <span class="zoom">
        <IconButton icon="minus" label="Less time detail" disabled={!isZoomed} act={() => zoom(1.6)} />
        <IconButton icon="plus" label="More time detail" act={() => zoom(1 / 1.6)} />
        <IconButton icon="fit" label="Whole session" disabled={!isZoomed} act={() => zoom(null)} />
      </span>
    </div>
  );
}
