/**
 * The completion script for bash 4 and newer. It needs no bash-completion package: the words are taken from the line, because bash
 * splits at `@`, `=` and `:`, which stand inside addresses and flags.
 */
import type { Completed, Values } from './completion-model.js';

export function bashScript(commands: readonly Completed[]): string {
  return `# bash completion for mur; made by: mur completion bash
_mur_sessions() { mur ps --addresses 2>/dev/null | cut -f1; }

_mur() {
  local line=\${COMP_LINE:0:COMP_POINT} cur word command= wants= flag= position=0 index
  local -a words
  read -ra words <<< "$line"
  cur=
  if [[ $line != *[[:space:]] ]]; then
    cur=\${words[-1]}
    unset 'words[-1]'
  fi
  COMPREPLY=()
  for ((index = 1; index < \${#words[@]}; index++)); do
    word=\${words[index]}
    if [[ -n $flag ]]; then
      flag=
    elif [[ $word == -- ]]; then
      :
    elif [[ $word == -*=* ]]; then
      :
    elif [[ $word == -* ]]; then
      _mur_wants "$command $word" && flag=$word
    else
      case "$command/$word" in
${commands.flatMap(descents).join('\n')}
        *) ((position += 1)) ;;
      esac
    fi
  done

  if [[ -n $flag ]]; then
    _mur_wants "$command $flag"
  elif [[ $cur == --*=* ]]; then
    _mur_wants "$command \${cur%%=*}" || return 0
    cur=\${cur#*=}
  elif [[ $cur == -* ]]; then
    wants="words $(_mur_flags "$command")"
  else
    _mur_argument "$command" "$position"
  fi

  case $wants in
    'words '*) mapfile -t COMPREPLY < <(compgen -W "\${wants#words }" -- "$cur") ;;
    file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    directory) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    session) mapfile -t COMPREPLY < <(compgen -W "$(_mur_sessions)" -- "$cur") ;;
    session-or-file) mapfile -t COMPREPLY < <(compgen -W "$(_mur_sessions)" -- "$cur"; compgen -f -- "$cur") ;;
  esac
  # What bash takes for the current word begins after the last of its break characters; an @ belongs to the word.
  local breaks=\${COMP_WORDBREAKS//@/} before
  before=\${cur%"\${cur##*[$breaks]}"}
  [[ -n $before ]] && COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  [[ \${COMPREPLY[0]-} == *. ]] && compopt -o nospace
  return 0
}

# Sets \`wants\` to what follows a flag; false for a flag without a value.
_mur_wants() {
  case $1 in
${commands.flatMap(flagCases).join('\n')}
    *) return 1 ;;
  esac
}

# Sets \`wants\` to what stands at a place among the arguments of a command.
_mur_argument() {
  case "$1/$2" in
${commands.flatMap(argumentCases).join('\n')}
    *) wants= ;;
  esac
}

_mur_flags() {
  case $1 in
${commands.map(flagList).join('\n')}
  esac
}

complete -F _mur mur
`;
}

/** How a word leads to the command below: `config/set) command='config set' ;;`. */
function descents({ path, below }: Completed): string[] {
  return below.map(({ name }) => {
    const next = `${path} ${name}`.trim();
    return `        ${quote(`${path}/${name}`)}) command=${quote(next)}; position=0 ;;`;
  });
}

function flagCases({ path, flags }: Completed): string[] {
  return flags.flatMap(({ long, short, values }) => {
    if (values === undefined) return [];
    const patterns = [long, ...(short === undefined ? [] : [short])].map((flag) => quote(`${path} ${flag}`));
    return [`    ${patterns.join(' | ')}) wants=${quote(wanted(values))} ;;`];
  });
}

function argumentCases({ path, below, arguments: places }: Completed): string[] {
  if (below.length > 0) {
    return [`    ${quote(`${path}/0`)}) wants=${quote(`words ${below.map(({ name }) => name).join(' ')}`)} ;;`];
  }
  return places.map(({ values, isLast }, index) => {
    const pattern = isLast ? `${quote(`${path}/`)}*` : quote(`${path}/${index}`);
    return `    ${pattern}) wants=${quote(wanted(values))} ;;`;
  });
}

function flagList({ path, flags }: Completed): string {
  const all = flags.flatMap(({ long, short }) => [long, ...(short === undefined ? [] : [short])]);
  return `    ${quote(path)}) echo ${quote(all.join(' '))} ;;`;
}

function wanted(values: Values): string {
  return values.kind === 'words' ? `words ${values.words.join(' ')}` : values.kind;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
