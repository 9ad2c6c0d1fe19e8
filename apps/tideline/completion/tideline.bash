# Completes tideline's command line in bash. The program itself knows what may come next.
_tideline() {
  local word candidate value=
  local -a words=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    # bash takes --por=ample for three words
    if [[ ${#words[@]} -gt 0 && ( $word == = || -n $value ) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    [[ $word == = ]] && value=1 || value=
  done
  local begun=${words[-1]%"$2"}  # what bash does not replace: "--por="
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("${candidate#"$begun"}")
  done < <("$1" complete "${words[@]}" 2>/dev/null)
}
complete -o bashdefault -o default -F _tideline tideline
