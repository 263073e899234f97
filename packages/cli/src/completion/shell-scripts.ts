/**
 * The script by which a shell asks the command line what may be typed. The scripts know no command and no option: these are asked for at each Tab, and
 * so are those of the version that is installed.
 */
export const shellScripts = {
  bash: `# Completion of planloom for bash. In ~/.bashrc:  eval "$(planloom completion bash)"
_planloom() {
  local line value cut="" typed="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  # bash takes --option=value for three words, and replaces the last of them.
  if [[ $typed == "=" ]]; then cut=1 typed=""; elif [[ \${COMP_WORDS[COMP_CWORD-1]} == "=" ]]; then cut=1; fi
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames 2>/dev/null; while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$typed") ;;
      :folders) compopt -o filenames 2>/dev/null; while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -d -- "$typed") ;;
      :none) ;;
      *) value="\${line%%$'\\t'*}"; if [[ $cut ]]; then value="\${value#*=}"; fi; COMPREPLY+=("$value") ;;
    esac
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _planloom planloom
`,
  zsh: `#compdef planloom
# Completion of planloom for zsh. In ~/.zshrc, after compinit:  eval "$(planloom completion zsh)"
_planloom() {
  local line value tab=$'\\t'
  local -a candidates
  for line in "\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      :none) ;;
      *) value="\${line%%$tab*}"; candidates+=("\${value//:/\\\\:}:\${line#*$tab}") ;;
    esac
  done
  (( \${#candidates} )) && _describe planloom candidates
}
compdef _planloom planloom
`,
  fish: `# Completion of planloom for fish. In ~/.config/fish/config.fish:  planloom completion fish | source
function __planloom_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] complete -- $words[2..] 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path (commandline -ct)
      case ':folders'
        __fish_complete_directories (commandline -ct)
      case ':none'
      case '*'
        echo $line
    end
  end
end
complete -c planloom -f -a '(__planloom_complete)'
`,
} as const;

export type Shell = keyof typeof shellScripts;
