/** The completion script for zsh, as a function file for `$fpath`; it may also be sourced. */
import type { Completed, CompletedFlag, Values } from './completion-model.js';

export function zshScript(commands: readonly Completed[]): string {
  return `#compdef mur
# zsh completion for mur; made by: mur completion zsh

_mur_sessions() {
  local -a sessions
  sessions=(\${(f)"$(mur ps --addresses 2>/dev/null | sed $'s/:/\\\\\\\\:/g; s/\\t/:/')"})
  _describe -t sessions session sessions
}

_mur_sessions_or_files() {
  _mur_sessions
  _files
}

${commands.map(functionOf).join('\n\n')}

if [[ $funcstack[1] == _mur ]]; then
  _mur "$@"
else
  compdef _mur mur
fi
`;
}

function functionOf({ path, flags, arguments: places, below }: Completed): string {
  const specs = flags.flatMap(flagSpecs);
  if (below.length === 0) {
    const args = places.map(({ name, values, isLast }, index) =>
      quote(`${isLast ? '*' : index + 1}:${name}:${action(values)}`),
    );
    return `${nameOf(path)}() {
  _arguments -s -S \\
    ${[...specs, ...args].join(' \\\n    ')}
}`;
  }
  const names = below.map(({ name, text }) => `      ${quote(`${escapeColon(name)}:${text}`)}`);
  const cases = below.map(({ name }) => `        ${name}) ${nameOf(`${path} ${name}`.trim())} ;;`);
  return `${nameOf(path)}() {
  local curcontext="$curcontext" state line
  local -a commands
  typeset -A opt_args
  _arguments -C -S \\
    ${specs.join(' \\\n    ')} \\
    '1: :->command' \\
    '*:: :->rest'
  case $state in
    command)
      commands=(
${names.join('\n')}
      )
      _describe -t commands command commands
      ;;
    rest)
      case $line[1] in
${cases.join('\n')}
      esac
      ;;
  esac
}`;
}

function flagSpecs({ long, short, text, values }: CompletedFlag): string[] {
  const end = values === undefined ? '' : `:${long.replace(/^-+/, '')}:${action(values)}`;
  const about = `[${text.replace(/[[\]\\:]/g, '\\$&')}]`;
  const equals = values === undefined ? '' : '=';
  const spellings = short === undefined ? '' : `(${short} ${long})`;
  return [
    quote(`${spellings}${long}${equals}${about}${end}`),
    ...(short === undefined ? [] : [quote(`${spellings}${short}${values === undefined ? '' : '+'}${about}${end}`)]),
  ];
}

function action(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `(${values.words.map(escapeColon).join(' ')})`;
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'session':
      return '_mur_sessions';
    case 'session-or-file':
      return '_mur_sessions_or_files';
    case 'none':
      return ' ';
  }
}

function nameOf(path: string): string {
  return path === '' ? '_mur' : `_mur_${path.replace(/\W/g, '_')}`;
}

function escapeColon(text: string): string {
  return text.replaceAll(':', '\\:');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
