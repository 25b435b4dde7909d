/** The views in their panels: two side by side where there is room, one after another where there is not. */
import { type MainView, mainViews, type SideView, sideViews, useApp, usePicture } from './app-context.js';
import { Boundary } from './boundary.js';
import { Calls } from './calls.js';
import { ChartView } from './chart.js';
import { Events } from './events.js';
import { Sequence } from './sequence.js';
import { Session } from './session.js';
import { State } from './state.js';
import { Story } from './story.js';
import { Tabs } from './tabs.js';

const titles = {
  chart: 'Chart',
  calls: 'Calls',
  messages: 'Messages',
  events: 'Events',
  story: 'Conversation',
  state: 'State',
  session: 'Session',
} as const satisfies Record<MainView | SideView, string>;

const mainTabs = mainViews.map((id) => ({ id, label: titles[id] }));

export function Wide() {
  const { ui, set } = useApp();
  return (
    <>
      <main class="main">
        <Tabs label="Views" tabs={mainTabs} chosen={ui.main} choose={(main) => set({ main })} />
        <Panel id={ui.main} />
      </main>
      <aside class="side" aria-label="Details">
        <Tabs label="Details" tabs={useSideTabs()} chosen={ui.side} choose={(side) => set({ side })} />
        <Panel id={ui.side} />
      </aside>
    </>
  );
}

export function Narrow() {
  const { ui, set } = useApp();
  const chosen = ui.front === 'main' ? ui.main : ui.side;
  const tabs = [...mainTabs.slice(0, 1), ...useSideTabs().slice(0, 1), ...mainTabs.slice(1), ...useSideTabs().slice(1)];
  const choose = (id: MainView | SideView) =>
    set(isSide(id) ? { side: id, front: 'side' } : { main: id, front: 'main' });
  return (
    <main class="main">
      <Tabs<MainView | SideView> label="Views" tabs={tabs} chosen={chosen} choose={choose} />
      <Panel id={chosen} />
    </main>
  );
}

function isSide(id: MainView | SideView): id is SideView {
  return (sideViews as readonly string[]).includes(id);
}

function useSideTabs() {
  const { problems: found } = usePicture();
  const bad = found.filter(({ level }) => level !== 'warning').length;
  return sideViews.map((id) =>
    id === 'session' ? { id, label: titles[id], count: bad, alert: true } : { id, label: titles[id] },
  );
}

function Panel({ id }: { id: MainView | SideView }) {
  const View = views[id];
  return (
    <div class={`panel panel-${id}`} id={`panel-${id}`} role="tabpanel" aria-labelledby={`tab-${id}`}>
      <Boundary name={titles[id]} key={id}>
        <View />
      </Boundary>
    </div>
  );
}

const views = {
  chart: ChartView,
  calls: Calls,
  messages: Sequence,
  events: Events,
  story: Story,
  state: State,
  session: Session,
};
