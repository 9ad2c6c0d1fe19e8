# Completes tideline's command line in fish, which adds names of files. The program itself knows what may come next.
complete -c tideline -a '(set -l words (commandline -opc); command $words[1] complete $words[2..-1] (commandline -ct) 2>/dev/null)'
