import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens an address for the person at this machine; `undefined` where there is nobody to see it. */
export function browserCommand(env: Environment, platform: NodeJS.Platform): readonly string[] | undefined {
  if (env.BROWSER === 'none') return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform !== 'linux' || !(env.DISPLAY || env.WAYLAND_DISPLAY)) return undefined;
  return ['xdg-open'];
}

/**
 * Opens `url` and goes on. False when there is nothing to open it with: the caller then prints it. The address is visible to other
 * users in the process list for a moment, so it must be one that works once.
 */
export async function openBrowser(url: string, env: Environment, platform = process.platform): Promise<boolean> {
  const [program, ...args] = browserCommand(env, platform) ?? [];
  if (program === undefined) return false;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}
