/** The completion script for fish 3 and newer. */
import type { Completed, CompletedFlag, Values } from './completion-model.js';

export function fishScript(commands: readonly Completed[]): string {
  return `# fish completion for mur; made by: mur completion fish
function __mur_sessions
    mur ps --addresses 2>/dev/null
end

# Prints the command that stands before the cursor, as in: config set
function __mur_command
    set -l command
    set -l flag
    for word in (commandline -opc)[2..-1]
        if test -n "$flag"
            set flag
        else if string match -q -- '-*=*' $word
            continue
        else if string match -q -- '-*' $word
            if contains -- "$command $word" ${commands.flatMap(valued).join(' ')}
                set flag $word
            end
        else if contains -- (string trim "$command $word") ${commands.flatMap(paths).join(' ')}
            set command (string trim "$command $word")
        end
    end
    echo $command
end

function __mur_at
    test (__mur_command)_ = $argv[1]_
end

complete -c mur -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, flags, arguments: places, below }: Completed): string[] {
  const here = `complete -c mur -n ${quote(`__mur_at ${quote(path)}`)}`;
  return [
    ...below.map(({ name, text }) => `${here} -a ${quote(name)} -d ${quote(text)}`),
    ...flags.map((flag) => `${here} ${flagWords(flag)}`),
    ...(below.length > 0 ? [] : places.flatMap(({ values }) => offered(values).map((words) => `${here} ${words}`))),
  ];
}

function flagWords({ long, short, text, values }: CompletedFlag): string {
  const names = [`-l ${long.slice(2)}`, ...(short === undefined ? [] : [`-s ${short.slice(1)}`])];
  const isFile = values?.kind === 'file' || values?.kind === 'session-or-file';
  const value = values === undefined ? [] : [isFile ? '-r' : '-x', ...offered(values)];
  return [...names, ...value, `-d ${quote(text)}`].join(' ');
}

function offered(values: Values): string[] {
  switch (values.kind) {
    case 'words':
      return [`-a ${quote(values.words.join(' '))}`];
    case 'file':
      return ['-F'];
    case 'directory':
      return [`-a ${quote('(__fish_complete_directories)')}`];
    case 'session':
      return [`-a ${quote('(__mur_sessions)')}`];
    case 'session-or-file':
      return [`-F -a ${quote('(__mur_sessions)')}`];
    case 'none':
      return [];
  }
}

function valued({ path, flags }: Completed): string[] {
  return flags.flatMap(({ long, short, values }) =>
    values === undefined ? [] : [long, ...(short === undefined ? [] : [short])].map((flag) => quote(`${path} ${flag}`)),
  );
}

function paths({ path }: Completed): string[] {
  return path === '' ? [] : [quote(path)];
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
