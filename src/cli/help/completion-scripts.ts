/**
 * The completion of each shell: a few lines that pass the typed words to `skillwire complete`. That command prints a value and its
 * description per line. Typed text and values are never evaluated by the shell. The last line is `:4` if file names make no sense, else
 * `:0`.
 */

const bash = `# bash completion of skillwire. Save it as ~/.local/share/bash-completion/completions/skillwire
_skillwire() {
  local typed="\${COMP_LINE:0:COMP_POINT}" current='' before line files=0
  local -a words
  read -ra words <<< "$typed"
  case "$typed" in *[[:space:]]) words+=('') ;; esac
  current="\${words[\${#words[@]}-1]}"
  # Bash completes only what follows the last ":" or "=".
  before="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :4) compopt +o default 2>/dev/null ;;
      :*) ;;
      *) line="\${line%%$'\\t'*}"; COMPREPLY+=("\${line#"$before"}") ;;
    esac
  done < <(skillwire complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _skillwire skillwire
`;

const zsh = `#compdef skillwire
# zsh completion of skillwire. Save it as _skillwire in a folder of $fpath
_skillwire() {
  local line
  local -a values described
  local files=1
  while IFS= read -r line; do
    case "$line" in
      :4) files=0 ;;
      :*) ;;
      *) values+=("\${line%%$'\\t'*}"); described+=("\${line%%$'\\t'*}  \${line#*$'\\t'}") ;;
    esac
  done < <(skillwire complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)
  (( \${#values} )) && compadd -l -d described -a -- values
  (( files )) && _files
}
if [ "$funcstack[1]" = "_skillwire" ]; then _skillwire "$@"; else compdef _skillwire skillwire; fi
`;

const fish = `# fish completion of skillwire. Save it as ~/.config/fish/completions/skillwire.fish
function __skillwire_complete
    set -l words (commandline -opc) (commandline -ct)
    skillwire complete -- $words[2..-1] 2>/dev/null | string match -rv '^:'
end
function __skillwire_files
    set -l words (commandline -opc) (commandline -ct)
    skillwire complete -- $words[2..-1] 2>/dev/null | string match -q ':0'
end
complete -c skillwire -f -a '(__skillwire_complete)'
complete -c skillwire -n __skillwire_files -F
`;

const powershell = `# PowerShell completion of skillwire. Add it to your $PROFILE
Register-ArgumentCompleter -Native -CommandName skillwire -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($wordToComplete -eq '') { $words += '' }
  skillwire complete -- @words 2>$null | Where-Object { $_ -notmatch '^:' } | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`;

export const completionScripts = { bash, zsh, fish, powershell } as const;

export type Shell = keyof typeof completionScripts;
